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

/** Entries $3 to $4 of the account ($1, $2), by day. */
export const sumsByDay = `
  SELECT partner_id AS "partnerId", tenant_id AS "tenantId", ${dayOf('awarded_at')} AS day,
    min(seq) AS "firstSeq", max(seq) AS "lastSeq", ${sumColumns.join(', ')}
  FROM entries WHERE partner_id = $1 AND tenant_id = $2 AND seq BETWEEN $3 AND $4
  GROUP BY partner_id, tenant_id, ${dayOf('awarded_at')} ORDER BY day`
