import { isoTime } from '../rules/iso-time.ts'
import { styleText } from 'node:util'
import { jsonText, terminalSafe } from '../terminal/safe-text.ts'

/**
 * Prints a result: a JSON document for scripts, or text for people. Where it cannot be written, the command fails:
 * console.log would say nothing, and the result may be a secret that is shown only once.
 */
export function print(result: unknown, options: { json?: boolean }, text: () => string): void {
  process.stdout.once('error', resultIsLost)
  process.stdout.write(`${options.json ? jsonText(result) : text()}\n`)
}

function resultIsLost({ code, message }: NodeJS.ErrnoException): void {
  process.exitCode = 1
  // The reader has seen enough: "partner list | head".
  if (code === 'EPIPE') return
  console.error(
    `partner-credit: the result cannot be written to standard output (${message}); what the command changed stays changed`,
  )
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
