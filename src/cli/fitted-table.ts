import { cutAt, displayWidth } from '../terminal/display-width.ts'
import { terminalSafe } from '../terminal/safe-text.ts'
import { bold } from './output.ts'

/** A column. One that wraps gives way if the table is wider than the terminal. */
export type Column = { heading: string; align?: 'right'; wraps?: boolean }

const gap = '  '
const widthMin = 8

/**
 * A table that fits the terminal, or 80 columns where the output goes elsewhere: long cells of columns that wrap take
 * several lines, and nothing is cut off.
 */
export function fittedTable(
  columns: Column[],
  rows: (string | number)[][],
  width = process.stdout.columns ?? 80,
): string {
  const cells = rows.map((row) => row.map((cell) => terminalSafe(String(cell))))
  const widths = fitted(columns, [columns.map(({ heading }) => heading), ...cells], width)
  const heading = lineOf(
    columns.map(({ heading }) => heading),
    columns,
    widths,
  )
  return [bold(heading), ...cells.flatMap((row) => linesOf(row, columns, widths))].join('\n')
}

function fitted(columns: Column[], rows: string[][], width: number): number[] {
  const widths = columns.map((_, column) => Math.max(...rows.map((row) => displayWidth(row[column]!))))
  const leastOf = ({ heading }: Column) => Math.max(widthMin, displayWidth(heading))
  let excess = widths.reduce((sum, one) => sum + one, gap.length * (columns.length - 1)) - width
  while (excess > 0) {
    const widest = columns
      .map((column, index) => ({ column, index }))
      .filter(({ column, index }) => column.wraps && widths[index]! > leastOf(column))
      .sort((a, b) => widths[b.index]! - widths[a.index]!)[0]
    if (widest === undefined) break
    widths[widest.index]!--
    excess--
  }
  return widths
}

/** The lines of one row: cells that do not fit go on in the next line. */
function linesOf(row: string[], columns: Column[], widths: number[]): string[] {
  const wrapped = row.map((cell, column) => wrap(cell, widths[column]!))
  const height = Math.max(...wrapped.map((lines) => lines.length))
  return Array.from({ length: height }, (_, line) =>
    lineOf(
      wrapped.map((lines) => lines[line] ?? ''),
      columns,
      widths,
    ),
  )
}

function lineOf(cells: string[], columns: Column[], widths: number[]): string {
  return cells
    .map((cell, column) => {
      const space = ' '.repeat(Math.max(0, widths[column]! - displayWidth(cell)))
      return columns[column]!.align === 'right' ? space + cell : cell + space
    })
    .join(gap)
    .trimEnd()
}

/** At spaces where there are some, otherwise anywhere. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let rest = text
  while (displayWidth(rest) > width) {
    const [whole] = cutAt(rest, width)
    const space = rest[whole.length] === ' ' ? whole.length : whole.lastIndexOf(' ')
    const cut = space > 0 ? space : whole.length
    lines.push(rest.slice(0, cut).trimEnd())
    rest = rest.slice(cut).trimStart()
  }
  return [...lines, rest]
}

/** Wraps the lines that are too long, and indents the rest of them. Lines in bold stay as they are. */
export function fitLines(text: string, width = process.stdout.columns ?? 80): string {
  return text
    .split('\n')
    .flatMap((line) => {
      if (line.includes('\u001b') || displayWidth(line) <= width) return [line]
      const indent = `${/^ */.exec(line)![0]}  `
      const [first, ...rest] = wrap(line, width)
      return [first!, ...wrap(rest.join(' '), width - indent.length).map((part) => indent + part)]
    })
    .join('\n')
}

/** 1,234,567. */
export function grouped(value: number): string {
  return value.toLocaleString('en-US')
}

/** How full something is, in so many characters. */
export function bar({ points, limit }: Use, width: number): string {
  const filled = limit === 0 ? width : Math.min(width, Math.floor((points / limit) * width))
  return '█'.repeat(filled) + '░'.repeat(width - filled)
}

/** Rounded down: 100 % is full. A cap of 0 is always full. */
export function percent({ points, limit }: Use): string {
  return `${limit === 0 ? 100 : Math.floor((points * 100) / limit)} %`
}

type Use = { points: number; limit: number }
