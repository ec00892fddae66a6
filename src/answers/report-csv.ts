import { refusalCodes } from '../journal/result-code.ts'
import { csv } from './csv.ts'
import type { ReportAnswer, ReportDimension, ReportRow } from './report.ts'

const figures = ['awards', 'points', 'rawAmount', 'remainder'] as const
const rowFields = { partner: 'partnerId', tenant: 'tenantId', day: 'day' } as const

/** Without a total, which a spreadsheet would add up again; and with every code, so that the columns are always the same. */
export function reportCsv({ by, rows }: Pick<ReportAnswer, 'by' | 'rows'>): string {
  const codes = refusalCodes.map((code) => `refusals_${code}`)
  const headings = [...by.flatMap(headingsOf), ...figures, 'refusals', 'refusedPoints', ...codes]
  return csv([
    headings,
    ...rows.map((row) => [
      ...by.flatMap((dimension) => cellsOf(row, dimension)),
      ...figures.map((figure) => row[figure]),
      refusalCount(row),
      row.refusedPoints,
      ...refusalCodes.map((code) => row.refusals[code] ?? 0),
    ]),
  ])
}

/** A partner has its name beside its id. */
function headingsOf(dimension: ReportDimension): string[] {
  return dimension === 'partner' ? ['partner', 'partnerName'] : [dimension]
}

function cellsOf(row: ReportRow, dimension: ReportDimension): string[] {
  const value = row[rowFields[dimension]]!
  return dimension === 'partner' ? [value, row.partnerName ?? ''] : [value]
}

export function refusalCount({ refusals }: Pick<ReportRow, 'refusals'>): number {
  return Object.values(refusals).reduce((sum, responses) => sum + responses, 0)
}
