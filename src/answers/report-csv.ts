import { refusalCodes } from '../journal/result-code.ts'
import { csv } from './csv.ts'
import type { ReportAnswer, ReportRow } from './report.ts'

const figures = ['awards', 'points', 'rawAmount', 'remainder'] as const
const rowFields = { partner: 'partnerId', tenant: 'tenantId', day: 'day' } as const

/** Without a total, which a spreadsheet would add up again; and with every code, so that the columns are always the same. */
export function reportCsv({ by, rows }: Pick<ReportAnswer, 'by' | 'rows'>): string {
  const headings = [...by, ...figures, 'refusals', ...refusalCodes.map((code) => `refusals_${code}`)]
  return csv([
    headings,
    ...rows.map((row) => [
      ...by.map((dimension) => row[rowFields[dimension]]!),
      ...figures.map((figure) => row[figure]),
      refusalCount(row),
      ...refusalCodes.map((code) => row.refusals[code] ?? 0),
    ]),
  ])
}

export function refusalCount({ refusals }: Pick<ReportRow, 'refusals'>): number {
  return Object.values(refusals).reduce((sum, responses) => sum + responses, 0)
}
