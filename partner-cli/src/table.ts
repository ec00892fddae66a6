import { terminalSafe } from '../../src/terminal/safe-text.ts'
import type { Output } from './surroundings.ts'

const rowsTogether = 500

/** Columns as wide as their widest cell so far; of a long table only so many rows are in memory. */
export async function writeTable(
  headings: string[],
  rows: Iterable<string[]> | AsyncIterable<string[]>,
  { write, isBold }: { write: (text: string) => Promise<void>; isBold: boolean },
): Promise<void> {
  const widths = headings.map((heading) => heading.length)
  let waiting: string[][] = []
  let isFirst = true
  const flush = async () => {
    for (const row of waiting) {
      for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column]!, widthOf(cell))
    }
    const lines = waiting.map((row) => lineOf(row, widths))
    if (isFirst) {
      const heading = lineOf(headings, widths)
      lines.unshift(isBold ? `\u001b[1m${heading}\u001b[22m` : heading)
    }
    isFirst = false
    waiting = []
    await write(lines.map((line) => `${line}\n`).join(''))
  }
  for await (const row of rows) {
    waiting.push(row.map(visible))
    if (waiting.length === rowsTogether) await flush()
  }
  if (waiting.length > 0) await flush()
}

/** As it is shown in a cell: white space at either end is not overlooked. */
export function visible(text: string): string {
  const shown = terminalSafe(text)
  return /^\s|\s$/.test(shown) ? JSON.stringify(shown) : shown
}

export function isStyled(stdout: Output, environment: Record<string, string | undefined>): boolean {
  return stdout.isTTY === true && !environment.NO_COLOR
}

function lineOf(cells: string[], widths: number[]): string {
  return cells
    .map((cell, column) => cell + ' '.repeat(widths[column]! - widthOf(cell)))
    .join('  ')
    .trimEnd()
}

/** In characters: a ‘é’ of two code units would push the next column aside. */
function widthOf(text: string): number {
  return [...text].length
}
