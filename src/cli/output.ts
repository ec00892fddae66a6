import { styleText } from 'node:util'

/** Prints a result: one JSON document for scripts, or text for people. */
export function print(result: unknown, options: { json?: boolean }, text: () => string): void {
  console.log(options.json ? jsonText(result) : text())
}

/** JSON escapes what is below U+0020 by itself; a terminal obeys more than that. */
export function jsonText(result: unknown): string {
  return JSON.stringify(result, null, 2).replace(obeyedInJson, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/**
 * Text that comes from the database or from outside, for a terminal: what it would obey instead of show (escape codes,
 * line breaks, marks of text direction) is written as an escape.
 */
export function spelledOut(text: string): string {
  return text.replace(obeyed, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`)
}

/** The same for text of several lines. */
export function spelledOutLines(text: string): string {
  return text.split('\n').map(spelledOut).join('\n')
}

const obeyed = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

const obeyedInJson = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** A table for people: columns as wide as their widest cell. */
export function table(headings: string[], rows: (string | number)[][]): string {
  const cells = [headings, ...rows.map((row) => row.map((cell) => spelledOut(String(cell))))]
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

/** A cap, and where it comes from if it is not set here: `500`, or `10000 (default)`. */
export function capText(own: number | null, wider: number, from: string): string {
  return own === null ? `${wider} (${from})` : String(own)
}

/** Styles go to terminals only, and not where NO_COLOR is set: styleText looks at both. */
export function bold(text: string): string {
  return styleText('bold', text, { stream: process.stdout })
}

export function isoTime(ms: number | null, absent = '-'): string {
  return ms === null ? absent : new Date(ms).toISOString()
}
