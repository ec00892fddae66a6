import type { LedgerQueries, SeqRange, UserTotal } from '../../answers/ledger-queries.ts'
import { highestByTenant } from '../user-rows.ts'
import type { Pool } from './database.ts'
import { inWantedRange, ofRanges, readRangeRows } from './entry-ranges.ts'

export async function readHighestUserDays(
  pool: Pool,
  ranges: SeqRange[],
  limit: number,
): ReturnType<LedgerQueries['highestUserDays']> {
  const rows = readRangeRows<UserTotal & { tenantId: string }>(pool, ranges, {
    sql: highestUsers,
    values: [limit],
  })
  return highestByTenant((await Array.fromAsync(rows)).flat(), limit)
}

/** A user's total after an award is the total of the day so far, so that the highest is the last. */
const userTotals = `
  SELECT partner_id, tenant_id, user_email, max(user_day_total) AS total FROM entries WHERE ${inWantedRange}
  GROUP BY partner_id, tenant_id, user_email`

/** In each tenant the first $5. */
const highestUsers = `
  SELECT "tenantId", "userEmail", points FROM (
    SELECT tenant_id AS "tenantId", user_email AS "userEmail", max(total) AS points,
      row_number() OVER (PARTITION BY tenant_id ORDER BY max(total) DESC, user_email) AS place
    FROM ${ofRanges(userTotals)} GROUP BY tenant_id, user_email
  ) AS users WHERE place <= $5`
