const widthMax = 110

/** A documentation comment: one line if it fits, otherwise wrapped. */
export function comment(sentences: string[], indent = ''): string {
  const text = sentences.filter(Boolean).join(' ')
  const line = `${indent}/** ${text} */\n`
  if (line.length <= widthMax) return line
  const lines = wrapped(text, widthMax - indent.length - ' * '.length)
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`
}

/** The parameters of a method, in one line if they fit. */
export function parameters(list: string[]): string {
  const line = `(${list.join(', ')})`
  if (`  constructor${line} {`.length <= widthMax) return line
  return `(\n${list.map((parameter) => `    ${parameter},\n`).join('')}  )`
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}
