import { isUtf8 } from 'node:buffer'

export type CsvRow = {
  /** Where it begins; the first line of the file is 1. */
  line: number
  cells: string[]
  /** The rule of CSV that it breaks; its cells are then a guess. */
  fault: string | null
}

/** A blank line is no row: it has one cell and nothing in it. */
export function isBlank({ cells, fault }: CsvRow): boolean {
  return fault === null && cells.length === 1 && cells[0] === ''
}

const quote = 0x22
const carriageReturn = 0x0d
const lineFeed = 0x0a

export type RowReader = {
  /** Every whole row in the bytes, and what is left of them: it must come again, before what follows it. */
  (bytes: Buffer, options: { isLast: boolean }): { rows: CsvRow[]; rest: Buffer }
  nextLine(): number
}

/**
 * Works on bytes, not on text: all that matters here is ASCII, and a cell is decoded when its row is known to be UTF-8.
 * A row whose end is not there yet is read again from its beginning when more has come.
 */
export function rowReader(delimiter: string): RowReader {
  const separator = delimiter.charCodeAt(0)
  let line = 1
  /** The bytes ended behind a CR: a LF that comes next belongs to it. */
  let isLineFeedOwed = false

  function read(bytes: Buffer, { isLast }: { isLast: boolean }) {
    const rows: CsvRow[] = []
    let start = 0
    if (isLineFeedOwed && bytes.length > 0) {
      isLineFeedOwed = false
      if (bytes[0] === lineFeed) start = 1
    }
    while (start < bytes.length) {
      const row = rowAt(bytes, start, isLast)
      if (row === null) break
      rows.push({ line, cells: row.cells, fault: row.fault })
      line += row.lines
      start = row.end
      isLineFeedOwed = !isLast && start === bytes.length && bytes[start - 1] === carriageReturn
    }
    return { rows, rest: bytes.subarray(start) }
  }

  /** The row that begins there; null if its end is not in the bytes. */
  function rowAt(bytes: Buffer, start: number, isLast: boolean) {
    const cells: string[] = []
    let fault: string | null = null
    let lines = 1
    let at = start
    for (;;) {
      let text = ''
      let from = at
      if (bytes[at] === quote) {
        from = ++at
        for (;;) {
          const close = bytes.indexOf(quote, at)
          if (close === -1 && !isLast) return null
          if (close === -1) {
            fault ??= 'has a quote that is opened and never closed'
            at = bytes.length
            break
          }
          at = close + 1
          if (bytes[at] !== quote) {
            text += bytes.toString('utf8', from, close)
            lines += lineEnds(bytes, from, close)
            from = at
            break
          }
          text += bytes.toString('utf8', from, at)
          lines += lineEnds(bytes, from, at)
          from = ++at
        }
        if (at < bytes.length && !isEnd(bytes[at]!)) fault ??= 'has something behind a closing quote'
      }
      while (at < bytes.length && !isEnd(bytes[at]!)) {
        if (bytes[at] === quote) fault ??= 'has a quote within a cell that does not begin with one'
        at++
      }
      // More may belong to it: a quote that ends here can be the first half of a doubled one.
      if (at === bytes.length && !isLast) return null
      text += bytes.toString('utf8', from, at)
      cells.push(text)
      const end = bytes[at]
      at++
      if (end === separator) continue
      if (end === carriageReturn && bytes[at] === lineFeed) at++
      at = Math.min(at, bytes.length)
      if (!isUtf8(bytes.subarray(start, at))) fault = 'is not UTF-8: save the file as "CSV UTF-8"'
      return { cells, fault, lines, end: at }
    }
  }

  const isEnd = (byte: number) => byte === separator || byte === lineFeed || byte === carriageReturn

  return Object.assign(read, { nextLine: () => line })
}

function lineEnds(bytes: Buffer, from: number, to: number): number {
  let count = 0
  for (let at = from; at < to; at++) {
    if (bytes[at] === lineFeed || (bytes[at] === carriageReturn && bytes[at + 1] !== lineFeed)) count++
  }
  return count
}
