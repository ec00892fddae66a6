import { deepEqual, equal, rejects } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { csvLine } from '../src/csv/csv-line.ts'
import type { Delimiter } from '../src/csv/csv-row.ts'
import { readCsv } from '../src/csv/read-csv.ts'

/** In pieces of the given size, as a disk or a pipe would bring it. */
async function rowsOf(
  file: string | Buffer,
  { delimiter, piece = 7 }: { delimiter?: Delimiter; piece?: number } = {},
) {
  const bytes = Buffer.from(file)
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece)
  }
  return (await Array.fromAsync(readCsv(pieces(), { delimiter }))).flat()
}

/** What the library says of the whole file by its strict rules; null where it refuses the file. */
function oracle(file: string, delimiter: string): string[][] | null {
  try {
    const rows: string[][] = parse(file, {
      delimiter,
      bom: true,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
    })
    return rows.filter((row) => row.length !== 1 || row[0] !== '')
  } catch {
    return null
  }
}

const delimiters = fc.constantFrom<Delimiter>(',', ';', '\t')
const lineEnds = fc.constantFrom('\r\n', '\n', '\r')
const piece = fc.integer({ min: 1, max: 40 })

describe('a CSV file is read', () => {
  test('as it was written, however it is quoted and in whatever pieces it comes', async () => {
    const cell = fc.string({
      unit: fc.constantFrom('a', 'é', '🎁', '"', ',', ';', '\t', '\n', '\r', ' '),
      maxLength: 6,
    })
    const file = fc.tuple(
      fc.array(fc.array(fc.tuple(cell, fc.boolean()), { minLength: 1, maxLength: 4 })),
      delimiters,
      lineEnds,
    )
    await fc.assert(
      fc.asyncProperty(file, fc.boolean(), piece, async ([rows, delimiter, lineEnd], hasBom, piece) => {
        const written = rows.map((row) =>
          row.map(([text, isQuoted]) =>
            isQuoted || /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text,
          ),
        )
        const text = `${hasBom ? '\ufeff' : ''}${written.map((row) => row.join(delimiter) + lineEnd).join('')}`
        const read = await rowsOf(text, { delimiter, piece })
        deepEqual(
          read.map(({ cells }) => cells),
          rows.map((row) => row.map(([text]) => text)).filter((cells) => cells.length > 1 || cells[0] !== ''),
        )
        deepEqual(new Set(read.map(({ fault }) => fault)), new Set(read.length > 0 ? [null] : []))
      }),
      { numRuns: 200 },
    )
  })

  test('as strict rules read the whole of it, and with a fault where they refuse it, whatever is in it', async () => {
    const text = fc.string({
      unit: fc.constantFrom('a', 'é', '"', '"', ',', ';', '\n', '\r', ' '),
      maxLength: 24,
    })
    await fc.assert(
      fc.asyncProperty(text, delimiters, piece, async (text, delimiter, piece) => {
        const read = await rowsOf(text, { delimiter, piece })
        const expected = oracle(text, delimiter)
        equal(
          read.some(({ fault }) => fault !== null),
          expected === null,
          JSON.stringify(text),
        )
        if (expected === null) return
        deepEqual(
          read.map(({ cells }) => cells),
          expected,
        )
      }),
      { numRuns: 600 },
    )
  })

  test('and what is written is read back, but for the apostrophe before a formula', async () => {
    const cell = fc.string({
      unit: fc.constantFrom('a', 'é', '"', ',', '\n', '\r', '=', '-', ' '),
      maxLength: 5,
    })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(cell, cell)), async (rows) => {
        const read = await rowsOf(rows.map((row) => csvLine(row)).join(''), { delimiter: ',' })
        deepEqual(
          read.map(({ cells }) => cells),
          rows.map((row) => row.map((text) => (/^[=\-\r]/.test(text) ? `'${text}` : text))),
        )
      }),
      { numRuns: 200 },
    )
  })

  const byDelimiter: [string, string[]][] = [
    ['order;email;amount, net\n1;a;2,5', ['order', 'email', 'amount, net']],
    ['order,email,"a;b;c;d"\n', ['order', 'email', 'a;b;c;d']],
    ['\r\n\norder\temail\tamount\r\n', ['order', 'email', 'amount']],
    ['order', ['order']],
  ]
  for (const [file, header] of byDelimiter) {
    test(`with the delimiter of its first row: ${JSON.stringify(file)}`, async () => {
      deepEqual((await rowsOf(file))[0]?.cells, header)
    })
  }

  test('with the line on which each row begins: line ends within quotes count, blank lines too', async () => {
    const file = 'a,b\r\n"1\r\n2\r3\n4",x\r\n\r\n\n5,6\r7,8'
    for (const piece of [1, 2, 3, 100]) {
      const rows = await rowsOf(file, { piece })
      deepEqual(
        rows.map(({ line, cells }) => [line, cells[0]]),
        [
          [1, 'a'],
          [2, '1\r\n2\r3\n4'],
          [8, '5'],
          [9, '7'],
        ],
      )
    }
  })

  test('a row that is broken has a fault, and those around it are read', async () => {
    const broken: [string, RegExp | null][] = [
      ['1,ok', null],
      ['2,"a"b', /behind a closing quote/],
      ['3,a"b', /within a cell/],
      ['4,ok', null],
      ['5,"a,b', /never closed/],
    ]
    const rows = await rowsOf(`o,e\n${broken.map(([text]) => text).join('\n')}`)
    for (const [index, [text, fault]] of broken.entries()) {
      const row = rows[index + 1]!
      equal(row.line, index + 2)
      deepEqual(row.cells, fault === null ? text.split(',') : [])
      equal(fault === null ? row.fault === null : fault.test(row.fault!), true, text)
    }
  })

  test('a row that is not UTF-8 has a fault; a file in UTF-16 is refused', async () => {
    const latin = Buffer.concat([Buffer.from('o,e\n1,'), Buffer.from([0xe9]), Buffer.from('\n2,é\n')])
    const faults = (await rowsOf(latin)).map(({ fault }) => fault)
    deepEqual(faults, [null, 'is not UTF-8: save the file as "CSV UTF-8"', null])
    await rejects(rowsOf(Buffer.from('\ufeffo,e', 'utf16le')), /UTF-16: save it as "CSV UTF-8"/)
    // Without a byte order mark.
    await rejects(rowsOf(Buffer.from('o,e\n1,2\n', 'utf16le')), /UTF-16 has: save it as "CSV UTF-8"/)
    await rejects(rowsOf(Buffer.from('o,e\n1,2\n', 'utf16le').swap16()), /UTF-16 has: save it as "CSV UTF-8"/)
  })

  test('a quote that is never closed does not take the file into memory', async () => {
    const file = `o,e\n1,"a\n${'2,b\n'.repeat(300_000)}`
    await rejects(rowsOf(file, { piece: 65_536 }), /the row that begins on line 2 is longer than 1 MiB/)
  })
})
