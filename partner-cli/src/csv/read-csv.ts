import { isUtf8 } from 'node:buffer'
import { once } from 'node:events'
import { CsvError, type Options, parse } from 'csv-parse'
import { parse as parseText } from 'csv-parse/sync'
import type { CsvRow, Delimiter } from './csv-row.ts'
import { detectDelimiter } from './detect-delimiter.ts'

/** A file that cannot be read as CSV at all. A row that breaks a rule is not an error: it has a `fault`. */
export class NotCsv extends Error {}

/** In a longer row a quote was not closed: it would take the rest of the file into memory. */
const rowBytesMax = 1024 * 1024

/**
 * The rows of a CSV file (RFC 4180) as the bytes arrive. Rows end with CRLF, LF or CR;
 * a byte order mark and blank lines are passed over; without a delimiter it is the one that the first row has most of.
 * A row that breaks a rule of CSV comes with its fault: nothing is dropped.
 */
export async function* readCsv(
  chunks: AsyncIterable<Uint8Array>,
  { delimiter }: { delimiter?: Delimiter | undefined } = {},
): AsyncGenerator<CsvRow[], void, undefined> {
  let reader: RowReader | null = null
  let first: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    if (reader === null) {
      first = Buffer.concat([first, chunk])
      const start = beginning(first, delimiter, { isWhole: false })
      if (start !== null) {
        reader = rowReader(start.delimiter)
        yield await reader.read(first.subarray(start.skippedBytes))
      } else if (first.length > rowBytesMax) throw tooLong(1)
    } else yield await reader.read(Buffer.from(chunk))
  }
  if (reader === null) {
    const start = beginning(first, delimiter, { isWhole: true })!
    reader = rowReader(start.delimiter)
    yield await reader.read(first.subarray(start.skippedBytes))
  }
  yield await reader.end()
}

/** What csv-parse gives with the option `raw`. */
type WithRaw = { record: string[]; raw: string }

type RowReader = {
  /** Every row that ends in these bytes, blank ones aside. */
  read(bytes: Buffer): Promise<CsvRow[]>
  end(): Promise<CsvRow[]>
}

/**
 * csv-parse splits the bytes. It is configured to accept misplaced quotes, so that a broken row ends with its line and does
 * not take its neighbors with it; such a row is then judged by the strict rules.
 */
function rowReader(delimiter: Delimiter): RowReader {
  const rules: Options = { delimiter, record_delimiter: ['\r\n', '\n', '\r'], relax_column_count: true }
  let rows: CsvRow[] = []
  let line = 1
  let bytesWithoutRow = 0
  const parser = parse({
    ...rules,
    // A character for each byte, so that a row that is not UTF-8 can be told from one that is.
    encoding: 'latin1',
    raw: true,
    relax_quotes: true,
    skip_records_with_error: true,
    on_record(given) {
      const { record, raw } = given as unknown as WithRaw
      const cells = record.map(decoded)
      const fault = isUtf8(Buffer.from(raw, 'latin1')) ? quoteFault(raw, cells, rules) : notUtf8
      const hasLineEnd = /[\r\n]$/.test(raw)
      if (fault !== null) rows.push({ line, cells: [], fault, hasLineEnd })
      else if (cells.length > 1 || cells[0] !== '') rows.push({ line, cells, fault, hasLineEnd })
      line += lineEnds(raw)
      bytesWithoutRow = 0
      return null
    },
    on_skip() {
      rows.push({ line, cells: [], fault: 'has a quote that is opened and never closed', hasLineEnd: false })
      return undefined
    },
  })
  const taken = () => {
    const whole = rows
    rows = []
    return whole
  }
  return {
    async read(bytes) {
      bytesWithoutRow += bytes.length
      await new Promise<void>((resolve, reject) => {
        parser.write(bytes, (error) => (error ? reject(error) : resolve()))
      })
      if (bytesWithoutRow > rowBytesMax) throw tooLong(line)
      return taken()
    },
    async end() {
      parser.end()
      parser.resume()
      await once(parser, 'end')
      return taken()
    },
  }
}

const notUtf8 = 'is not UTF-8: save the file as "CSV UTF-8"'

/** Only a row that has a quote in a cell can have broken a rule. */
function quoteFault(raw: string, cells: string[], rules: Options): string | null {
  if (!cells.some((cell) => cell.includes('"'))) return null
  try {
    parseText(raw, rules)
    return null
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    return error.code === 'CSV_INVALID_CLOSING_QUOTE'
      ? 'has something behind a closing quote'
      : 'has a quote within a cell that does not begin with one'
  }
}

function tooLong(line: number): NotCsv {
  return new NotCsv(`the row that begins on line ${line} is longer than 1 MiB: is a quote in it not closed?`)
}

function decoded(cell: string): string {
  return /^[\x00-\x7f]*$/.test(cell) ? cell : Buffer.from(cell, 'latin1').toString()
}

function lineEnds(raw: string): number {
  return raw.match(/\r\n|\r|\n/g)?.length ?? 0
}

type Beginning = { delimiter: Delimiter; skippedBytes: number }

/** Null until the first row has arrived. */
function beginning(
  bytes: Buffer,
  given: Delimiter | undefined,
  { isWhole }: { isWhole: boolean },
): Beginning | null {
  if (bytes.length < 3 && !isWhole) return null
  const [first, second, third] = bytes
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    throw new NotCsv('it is UTF-16: save it as "CSV UTF-8"')
  }
  if (bytes.includes(0)) throw new NotCsv('it has zero bytes, as UTF-16 has: save it as "CSV UTF-8"')
  const skippedBytes = first === 0xef && second === 0xbb && third === 0xbf ? 3 : 0
  const delimiter = given ?? detectDelimiter(bytes.subarray(skippedBytes), { isWhole })
  return delimiter === null ? null : { delimiter, skippedBytes }
}
