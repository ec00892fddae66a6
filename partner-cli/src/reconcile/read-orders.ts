import type { CsvRow, Delimiter } from '../csv/csv-row.ts'
import { NotCsv, readCsv } from '../csv/read-csv.ts'
import { NoAnswer } from '../no-answer.ts'
import { type ColumnRole, type Columns, findColumns } from './columns.ts'
import type { Order } from './finding.ts'
import { type DecimalMark, readWholeNumber } from './whole-number.ts'

export type OrderFileOptions = {
  delimiter: Delimiter | undefined
  given: Partial<Record<ColumnRole, string>>
  isEmailIgnored: boolean
  decimalMark: DecimalMark | null
  isAmountNeeded: boolean
}

const amountPerEp = 1000

/** The partner's list. A row that cannot be compared comes with its problem; none is left out. */
export async function* readOrders(
  chunks: AsyncIterable<Uint8Array>,
  { delimiter, given, isEmailIgnored, decimalMark, isAmountNeeded }: OrderFileOptions,
): AsyncGenerator<Order[], void, undefined> {
  let header: string[] | null = null
  let columns: Columns | null = null
  try {
    for await (const rows of readCsv(chunks, { delimiter })) {
      if (header === null) {
        const first = rows.shift()
        if (first === undefined) continue
        if (first.fault !== null) throw new NotCsv(`line ${first.line}, its first row, ${first.fault}`)
        header = first.cells
        columns = findColumns(header, { given, isEmailIgnored, isAmountNeeded })
      }
      yield rows.map((row) => orderOf(row, { columns: columns!, header: header!, decimalMark }))
    }
  } catch (error) {
    throw error instanceof NotCsv ? new NoAnswer(`the list cannot be read: ${error.message}`) : error
  }
  if (header === null) throw new NoAnswer('the list is empty: its first row must name the columns')
}

type Layout = { columns: Columns; header: string[]; decimalMark: DecimalMark | null }

function orderOf(
  { line, cells, fault, hasLineEnd }: CsvRow,
  { columns, header, decimalMark }: Layout,
): Order {
  const width = header.length
  const problems: string[] = []
  const cellOf = (role: ColumnRole) => (columns[role] === null ? null : (cells[columns[role]] ?? ''))
  // Of a row that is broken nobody knows which cell is which.
  const isWhole = fault === null && cells.length === width
  if (fault !== null) problems.push(fault)
  else if (!isWhole)
    problems.push(
      `has ${cells.length} ${cells.length === 1 ? 'cell' : 'cells'} where the first row has ${width}`,
    )
  const orderId = isWhole ? cellOf('order') || null : null
  const userEmail = cellOf('email')
  let amount: number | null = null
  let points = 0
  if (isWhole) {
    if (orderId === null) problems.push('has no order')
    if (userEmail === '') problems.push('has no e-mail')
    const numberOf = (role: 'amount' | 'points') => {
      const name = { role, column: header[columns[role] ?? -1] ?? role }
      return wholeNumber(cellOf(role), name, decimalMark, problems)
    }
    amount = numberOf('amount')
    const listed = numberOf('points')
    const converted = amount === null ? null : Math.floor(amount / amountPerEp)
    if (listed !== null && converted !== null && listed !== converted) {
      problems.push(`an amount of ${amount} gives ${converted} EP, but points says ${listed}`)
    }
    points = listed ?? converted ?? 0
  }
  const problem = problems.length === 0 ? null : problems.join('; ')
  const values = problem === null ? { amount, points } : { amount: null, points: 0 }
  return { line, orderId, userEmail: lowercased(userEmail), ...values, problem, mayBeCutOff: !hasLineEnd }
}

/** Null where there is none, or none that can be read: then the problem is added. */
function wholeNumber(
  cell: string | null,
  { role, column }: { role: string; column: string },
  decimalMark: DecimalMark | null,
  problems: string[],
): number | null {
  if (cell === null) return null
  if (cell.trim() === '') {
    problems.push(`has no ${role}`)
    return null
  }
  const read = readWholeNumber(cell, decimalMark)
  if ('value' in read) return read.value
  const where = column.trim().toLowerCase() === role ? '' : ` in the column ${JSON.stringify(column)}`
  problems.push(`the ${role} ${JSON.stringify(cell)}${where} ${read.problem}`)
  return null
}

/** As the service does it: A–Z, and nothing else. */
function lowercased(email: string | null): string | null {
  return email?.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) ?? null
}
