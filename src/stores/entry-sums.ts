import type { EntrySums } from '../rules/entry-sums.ts'
import { dayOf } from './counter-queries.ts'

/** The rule of rules/entry-sums in SQL, for both stores: what entries add up to. */
const sums: Record<keyof EntrySums, string> = {
  awards: 'count(*)',
  points: 'sum(points)',
  rawAmount: 'sum(raw_amount)',
  remainder: 'sum(raw_amount - points * amount_per_ep)',
}

const sumColumns = Object.entries(sums).map(([name, sum]) => `CAST(${sum} AS bigint) AS "${name}"`)

/** By account and day: the entries that `inRange` selects. `more` are further columns. */
export const sumsByDay = (inRange: string, more = '') => `
  SELECT partner_id AS "partnerId", tenant_id AS "tenantId", ${dayOf('awarded_at')} AS day,
    min(seq) AS "firstSeq", max(seq) AS "lastSeq", ${sumColumns.join(', ')}${more}
  FROM entries WHERE ${inRange}
  GROUP BY partner_id, tenant_id, ${dayOf('awarded_at')} ORDER BY day`
