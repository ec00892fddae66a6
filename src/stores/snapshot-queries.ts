import type { UserAward } from '../proof/ledger-snapshot.ts'
import type { AccountId } from '../rules/cursor.ts'
import type { UserDay } from '../rules/decide-batch.ts'
import type { Account } from '../rules/entry.ts'
import { columns } from './columns.ts'
import { entrySelection } from './entry-row.ts'

export type AccountRow = AccountId & Account
export type OrderId = { partnerId: string; orderId: string }

/** What a snapshot reads, in the orders that the verifier relies on: the same words for both stores. */
export const snapshotQueries = {
  entryCount: 'SELECT coalesce(sum(cast(seq AS double precision)), 0) AS count FROM accounts',
  accounts: `
    SELECT ${columns<AccountRow>('partnerId', 'tenantId', 'seq', 'headHash', 'awardedAt', 'day', 'dayPoints')}
    FROM accounts ORDER BY partner_id, tenant_id`,
  entries: `SELECT ${entrySelection} FROM entries ORDER BY partner_id, tenant_id, seq`,
  userAwards: `
    SELECT ${columns<UserAward>('tenantId', 'userEmail', 'epTransactionId', 'points', 'userDayTotal', 'awardedAt')}
    FROM entries ORDER BY tenant_id, user_email, awarded_at`,
  userDays: `
    SELECT ${columns<UserDay>('tenantId', 'userEmail', 'day', 'points')}
    FROM user_days ORDER BY tenant_id, user_email, day`,
  orderCount: 'SELECT count(*) AS count FROM (SELECT 1 FROM entries GROUP BY partner_id, order_id) AS orders',
  orderCreditedTwice: `
    SELECT partner_id AS "partnerId", order_id AS "orderId"
    FROM entries GROUP BY partner_id, order_id HAVING count(*) > 1 LIMIT 1`,
}
