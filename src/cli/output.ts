import { isoTime } from '../rules/iso-time.ts'
import { styleText } from 'node:util'
import { jsonText, terminalSafe } from '../terminal/safe-text.ts'

/** Prints a result: a JSON document for scripts, or text for people. */
export function print(result: unknown, options: { json?: boolean }, text: () => string): void {
  console.log(options.json ? jsonText(result) : text())
}

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

/** A cap, with its origin if it is inherited: `500`, or `10000 (default)`. */
export function capText(own: number | null, wider: number, from: string): string {
  return own === null ? `${wider} (${from})` : String(own)
}

/** styleText applies styles on terminals only, and not if NO_COLOR is set. */
export function bold(text: string): string {
  return styleText('bold', text, { stream: process.stdout })
}

/** A time in a table; what has none shows `absent`. */
export function timeOr(ms: number | null, absent = '-'): string {
  return ms === null ? absent : isoTime(ms)
}
