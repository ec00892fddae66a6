import type { HereDocument } from './shell-word.ts'

const operator = /(?<!<)<<(-?)[ \t]*(["'\\]?)([A-Za-z_]\w*)["']?/

/** More than this is not a snippet. */
const documentsMax = 100

/**
 * Takes the here-documents out of a script before it is read, because quotation marks inside them mean nothing. Their
 * numbers are left in their place, between zero bytes.
 */
export function withoutDocuments(script: string): { text: string; documents: HereDocument[] } {
  const documents: HereDocument[] = []
  const kept: string[] = []
  const lines = script.replaceAll('\0', '').split('\n')
  let tried = 0
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!
    const [written, dash, quote, name] = (tried < documentsMax && operator.exec(line)) || []
    if (written !== undefined) tried++
    const end =
      written === undefined ? -1 : lines.findIndex((other, index) => index > at && other.trim() === name)
    if (written === undefined || end < 0) {
      kept.push(line)
      continue
    }
    const content = lines
      .slice(at + 1, end)
      .map((text) => `${dash === '' ? text : text.replace(/^\t+/, '')}\n`)
    const number = documents.push({ content: content.join(''), isLiteral: quote !== '' }) - 1
    kept.push(line.replace(written, () => `<<\0${number}\0`))
    at = end
  }
  return { text: kept.join('\n'), documents }
}
