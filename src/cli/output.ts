import { styleText } from 'node:util'

/** Prints a result: a JSON document for scripts, or text for people. */
export function print(result: unknown, options: { json?: boolean }, text: () => string): void {
  console.log(options.json ? jsonText(result) : text())
}

/** JSON.stringify escapes characters below U+0020; terminals interpret more than those. */
export function jsonText(result: unknown): string {
  return JSON.stringify(result, null, 2).replace(unsafeInJson, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/**
 * Makes text from the database or from outside safe for a terminal: control characters, line breaks and text direction
 * marks are written as escapes.
 */
export function terminalSafe(text: string): string {
  return text.replace(unsafe, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`)
}

/** The same for text of several lines. */
export function terminalSafeLines(text: string): string {
  return text.split('\n').map(terminalSafe).join('\n')
}

const unsafe = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

const unsafeInJson = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** A text table; columns are as wide as their widest cell. */
export function table(headings: string[], rows: (string | number)[][]): string {
  const cells = [headings, ...rows.map((row) => row.map((cell) => terminalSafe(String(cell))))]
  const widths = headings.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)))
  const lines = cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  )
  return [bold(lines[0]!), ...lines.slice(1)].join('\n')
}

export function count(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`
}

/** A cap, with its origin if it is inherited: `500`, or `10000 (default)`. */
export function capText(own: number | null, wider: number, from: string): string {
  return own === null ? `${wider} (${from})` : String(own)
}

/** styleText applies styles on terminals only, and not if NO_COLOR is set. */
export function bold(text: string): string {
  return styleText('bold', text, { stream: process.stdout })
}

export function isoTime(ms: number | null, absent = '-'): string {
  return ms === null ? absent : new Date(ms).toISOString()
}
