/** A declaration of a .d.ts file in our format, or a member of one. */
export type Declaration = {
  name: string
  /** As it is written, without its comment. */
  code: string
  description: string
  example: string | null
  members: Declaration[]
}

/** The exported declarations of a file, with the members of types and classes. */
export function exportedDeclarations(file: string): Declaration[] {
  return file
    .split(/\n\n(?=\/\*\*|export )/)
    .filter((text) => /^export (?!\{)/m.test(text))
    .map((text) => {
      const { comment, code } = parted(text)
      const name = /(?:type|class|function) (\w+)/.exec(code)![1]!
      return { name, code, ...explained(comment), members: membersOf(code) }
    })
}

function membersOf(code: string): Declaration[] {
  const [, body] = /^export (?:declare )?(?:abstract )?(?:type|class) [^\n]*\{\n(.*)\n\}$/s.exec(code) ?? []
  if (body === undefined) return []
  // A member starts with two spaces; what belongs to it is further in, or closes a bracket.
  return body
    .split(/\n(?= {2}(?:\/\*\*|[\w#(]))(?<!\*\/\n)/)
    .map((text) => {
      const { comment, code: member } = parted(text.replace(/^ {2}/gm, ''))
      const name = /^(?:abstract |readonly )*([\w#]*)/.exec(member)![1]!
      return { name, code: member, ...explained(comment), members: [] }
    })
    .filter(({ name }) => name !== '#private')
}

function parted(text: string): { comment: string; code: string } {
  const [, comment = '', code = text] = /^\/\*\*(.*?)\*\/\n(.*)$/s.exec(text.trim()) ?? []
  return { comment, code: code.trim() }
}

function explained(comment: string): { description: string; example: string | null } {
  const text = comment.replace(/^ *\* ?/gm, '').trim()
  const [description = '', example] = text.split(/\s*@example\s*/)
  return {
    description: description.replace(/\n(?!\n)/g, ' '),
    example: example === undefined ? null : example.replace(/^```ts\n|\n```$/g, ''),
  }
}
