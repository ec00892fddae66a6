/** A word of a shell command as the program receives it. */
export type ShellWord = {
  text: string
  /** The expansions in it whose values are not in the pasted text. */
  unknown: string[]
  /** The variables in it that are not in double quotes and have spaces in their values. */
  unquoted: string[]
}

/** What the commands before have set, and the here-documents of the whole text. */
export type Scope = {
  variables: Map<string, ShellWord>
  documents: HereDocument[]
  /** How many characters of values may still be put in: each variable can have the one before it twice. */
  valuesLeft: number
}

export type HereDocument = { content: string; isLiteral: boolean }

export function knownWord(text: string): ShellWord {
  return { text, unknown: [], unquoted: [] }
}

/** For a word that is read bit by bit: a new one for each bit would copy all before it. */
export function appendTo(word: ShellWord, part: ShellWord): void {
  word.text += part.text
  for (const expansion of part.unknown) word.unknown.push(expansion)
  for (const variable of part.unquoted) word.unquoted.push(variable)
}

export function joinedWord(...parts: ShellWord[]): ShellWord {
  return {
    text: parts.map(({ text }) => text).join(''),
    unknown: parts.flatMap(({ unknown }) => unknown),
    unquoted: parts.flatMap(({ unquoted }) => unquoted),
  }
}
