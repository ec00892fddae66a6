import { Type } from 'typebox'
import { report as answerReport, type ReportDimension, reportDimensions } from '../../../answers/report.ts'
import { reportCsv } from '../../../answers/report-csv.ts'
import { parseDay } from '../../../rules/vietnam-day.ts'
import { route } from '../route.ts'
import { report } from '../schemas/figures.ts'
import { exact, oneOf, partnerId, tenantId } from '../schemas/values.ts'
import { broken, dayParameter, readDay } from '../times.ts'

const monthPattern = '^\\d{4}-(0[1-9]|1[0-2])$'

export const reportRoutes = [
  route({
    method: 'GET',
    path: '/reports',
    tag: 'Figures',
    summary: 'Awards, EP, raw amounts and refusals of a period',
    description:
      'Of a Vietnam day, a month, or from one day to another. As JSON, CSV or NDJSON (one row per line), by Accept or by `format`. Sandbox tenants are left out unless one is named.',
    needs: 'figures.read',
    query: exact({
      day: dayParameter('One day; today if no period is given.'),
      month: Type.Optional(Type.String({ pattern: monthPattern, description: 'One month: `2026-11`.' })),
      from: dayParameter('First day.'),
      to: dayParameter('Last day, included.'),
      by: Type.Optional(
        Type.String({
          maxLength: 50,
          description: 'A row for each: `partner,tenant,day`. `partner,tenant` if absent.',
        }),
      ),
      partnerId: Type.Optional(partnerId),
      tenantId: Type.Optional(tenantId),
      format: Type.Optional(
        oneOf(['json', 'csv', 'ndjson'], 'For links in a browser; otherwise Accept decides.'),
      ),
    }),
    response: report,
    formats: ['text/csv', 'application/x-ndjson'],
    async handle({ query, now, parts, format }) {
      const { by = 'partner,tenant', partnerId: partner, tenantId: tenant } = query
      const question = { ...periodOf(query, now), by: dimensionsOf(by), partnerId: partner, tenantId: tenant }
      const body = await answerReport(await parts.sources(), question)
      if (format === null) return { body }
      const isCsv = format === 'text/csv'
      const name = `report-${body.from}${body.to === body.from ? '' : `-to-${body.to}`}.${isCsv ? 'csv' : 'ndjson'}`
      return {
        body,
        text: isCsv ? `${reportCsv(body)}\n` : body.rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
        headers: { 'content-disposition': `attachment; filename="${name}"` },
      }
    },
  }),
]

type Asked = { day?: string; month?: string; from?: string; to?: string }

function periodOf({ day, month, from, to }: Asked, now: number): { from: number; to: number } {
  const given = [day, month, from ?? to].filter((one) => one !== undefined)
  if (given.length > 1) throw broken('day', 'name a day, a month, or from and to: one of the three')
  if (month !== undefined) {
    const first = parseDay(`${month}-01`)
    if (first === null || !/^20/.test(month)) throw broken('month', 'must be a month from 2000-01 to 2099-12')
    return { from: first, to: parseDay(`${nextMonth(month)}-01`)! - 1 }
  }
  if (from === undefined && to === undefined) {
    const one = readDay('day', day, now)
    return { from: one, to: one }
  }
  if (from === undefined || to === undefined) throw broken('from', 'from and to belong together')
  return { from: readDay('from', from, now), to: readDay('to', to, now) }
}

function nextMonth(month: string): string {
  const [year, number] = month.split('-').map(Number) as [number, number]
  return number === 12 ? `${year + 1}-01` : `${year}-${String(number + 1).padStart(2, '0')}`
}

function dimensionsOf(text: string): ReportDimension[] {
  const names = text.split(',')
  const known = names.filter((name) => (reportDimensions as readonly string[]).includes(name))
  if (known.length < names.length || new Set(names).size < names.length)
    throw broken('by', 'must be a list of partner, tenant and day, each once: partner,day')
  return known as ReportDimension[]
}
