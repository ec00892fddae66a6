import { CsvError } from './csv-error.ts'
import { isBlank, type CsvRow, rowReader } from './row-reader.ts'
import { detectDelimiter } from './detect-delimiter.ts'

export type Delimiter = ',' | ';' | '\t'

/** A longer row is a quote that nobody closed: it would take the rest of the file into memory. */
const rowBytesMax = 1024 * 1024

/**
 * The rows of a CSV file (RFC 4180) as the bytes come in, as many at a time as there are. Rows end with CRLF, LF or CR;
 * a byte order mark and blank lines are passed over; without a delimiter it is the one that the first row has most of.
 * A row that breaks a rule of CSV comes with its fault: nothing is dropped.
 */
export async function* readCsv(
  chunks: AsyncIterable<Uint8Array>,
  { delimiter }: { delimiter?: Delimiter | undefined } = {},
): AsyncGenerator<CsvRow[], void, undefined> {
  let bytes: Buffer = Buffer.alloc(0)
  let read: ReturnType<typeof rowReader> | null = null
  for await (const chunk of chunks) {
    bytes = Buffer.concat([bytes, chunk])
    if (read === null) {
      const start = beginning(bytes, delimiter, { isWhole: false })
      if (start !== null) {
        read = rowReader(start.delimiter)
        bytes = bytes.subarray(start.skippedBytes)
      }
    }
    if (read !== null) {
      const { rows, rest } = read(bytes, { isLast: false })
      bytes = rest
      if (rows.length > 0) yield rows.filter((row) => !isBlank(row))
    }
    if (bytes.length > rowBytesMax) {
      throw new CsvError(
        `the row that begins on line ${read?.nextLine() ?? 1} is longer than 1 MiB: is a quote in it not closed?`,
      )
    }
  }
  if (read === null) {
    const { delimiter: detected, skippedBytes } = beginning(bytes, delimiter, { isWhole: true })!
    read = rowReader(detected)
    bytes = bytes.subarray(skippedBytes)
  }
  yield read(bytes, { isLast: true }).rows.filter((row) => !isBlank(row))
}

type Beginning = { delimiter: Delimiter; skippedBytes: number }

/** Null as long as the first row is not there. */
function beginning(
  bytes: Buffer,
  given: Delimiter | undefined,
  { isWhole }: { isWhole: boolean },
): Beginning | null {
  if (bytes.length < 3 && !isWhole) return null
  const [first, second, third] = bytes
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    throw new CsvError('it is UTF-16: save it as "CSV UTF-8"')
  }
  const skippedBytes = first === 0xef && second === 0xbb && third === 0xbf ? 3 : 0
  const delimiter = given ?? detectDelimiter(bytes.subarray(skippedBytes), { isWhole })
  return delimiter === null ? null : { delimiter, skippedBytes }
}
