import { Damaged } from '../../ledger/errors.ts'
import { type CarriedKind, carriedKinds, type Row } from './carried-tables.ts'
import {
  type CarriedTables,
  type ReadClosing,
  type RowCounts,
  type Format,
  type HeaderOptions,
  type Line,
  noRows,
  parseLine,
  readHeader,
} from './export-format.ts'
import { rowProblem } from './row-rules.ts'
import { readLines, type TextLine } from './read-lines.ts'

/** Rows of one kind that follow each other in the file, the first of them on `firstLine`. */
export type RowChunk = { kind: CarriedKind; rows: Row[]; firstLine: number }

/** An export whose first line was read. */
export type OpenedExport = { format: Format; lines: AsyncGenerator<TextLine> }

const chunkSize = 1000

/** Only the first line, which says whether this program and this master key can read the others. */
export async function openExport(
  input: AsyncIterable<Uint8Array>,
  options: HeaderOptions,
): Promise<OpenedExport> {
  const lines = readLines(input)
  try {
    const { value: header, done } = await lines.next()
    if (done) throw cutOffAfter(0)
    const format = onLine(header, () => readHeader(header.text, options))
    format.digest.update(header.bytes)
    return { format, lines }
  } catch (error) {
    await lines.return(undefined)
    throw error
  }
}

/**
 * The rows of an export, in chunks; at its end, what was read. It gives rows before it has seen the last line, so
 * nothing of them may be kept until it has ended without an error: a file that is cut off, or is not what export
 * wrote, is only known by then.
 */
export async function* readExport({ format, lines }: OpenedExport): AsyncGenerator<RowChunk, RowCounts> {
  const { tables, digest } = format
  const counts = { ...noRows }
  let chunk: RowChunk | null = null
  let last: { kind: CarriedKind; row: Row } | null = null
  let linesRead = 1
  let closed = false

  for await (const textLine of lines) {
    linesRead = textLine.number
    if (closed) throw new Damaged(`line ${linesRead}: follows the closing line`)
    const line = onLine(textLine, () => checkedLine(textLine.text, format))
    if (line.kind === 'end') {
      closed = true
      if (chunk !== null) yield chunk
      onLine(textLine, () => checkClosing(line.closing, counts, digest.digest('hex')))
      continue
    }
    digest.update(textLine.bytes)
    onLine(textLine, () => checkOrder(last, line, tables))
    last = line
    counts[line.kind]++
    if (chunk !== null && (chunk.kind !== line.kind || chunk.rows.length === chunkSize)) {
      yield chunk
      chunk = null
    }
    chunk ??= { kind: line.kind, rows: [], firstLine: linesRead }
    chunk.rows.push(line.row)
  }
  if (!closed) throw cutOffAfter(linesRead)
  return counts
}

function cutOffAfter(line: number): Damaged {
  return new Damaged(`the file was cut off: it ends after line ${line}, without its closing line`)
}

/** What is a line of ours, and has in it what the service would have accepted. */
function checkedLine(text: string, format: Format): Line {
  const line = parseLine(text, format)
  const problem = line.kind === 'end' ? null : rowProblem(line.kind, line.row)
  if (problem !== null) throw new Damaged(problem)
  return line
}

/** Adds the place. A last line without an end is more likely cut off than wrong. */
function onLine<T>({ number, isWhole }: TextLine, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof Damaged)) throw error
    const cutOff = isWhole ? '' : ': the file was cut off here'
    throw new Damaged(`line ${number}: ${error.message}${cutOff}`)
  }
}

type Place = { kind: CarriedKind; row: Row }

/** Each row comes after the one before it, so that none is there twice and none is out of place. */
function checkOrder(before: Place | null, { kind, row }: Place, tables: CarriedTables): void {
  if (before === null) return
  const kindsApart = carriedKinds.indexOf(kind) - carriedKinds.indexOf(before.kind)
  if (kindsApart < 0) throw new Damaged(`a ${kind} must come before every ${before.kind}`)
  if (kindsApart > 0) return
  // Keys are numbers and ASCII texts: their order here is that of their bytes in the database.
  const { key } = tables[kind]!
  const at = key.find((field) => row[field] !== before.row[field])
  if (at === undefined) throw new Damaged(`is the same ${kind} as the line before`)
  if (row[at]! < before.row[at]!) throw new Damaged(`this ${kind} must come before the line before it`)
}

function checkClosing({ counts, seal, isAsWritten }: ReadClosing, read: RowCounts, digest: string): void {
  const wrong = carriedKinds.find((kind) => counts[kind] !== read[kind])
  if (wrong !== undefined) {
    throw new Damaged(
      `the export has ${counts[wrong]} lines of the kind ${wrong}, and here are ${read[wrong]}`,
    )
  }
  if (seal !== digest) throw new Damaged('the lines before it are not the ones that export wrote')
  if (!isAsWritten) throw new Damaged('is not the closing line that export wrote')
}
