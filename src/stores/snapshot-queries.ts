import type { UserAward } from '../proof/ledger-snapshot.ts'
import type { AccountId } from '../rules/cursor.ts'
import type { UserDay } from '../rules/decide-batch.ts'
import type { Account } from '../rules/entry.ts'
import { auditSelection } from './audit-event.ts'
import { columns } from './columns.ts'
import { entrySelection } from './entry-row.ts'

export type AccountRow = AccountId & Account

const userDay = columns<UserDay>('tenantId', 'userEmail', 'day', 'points')

/** What a snapshot reads, in the orders that the verifier relies on. `from` and `where` are each store's own. */
export const snapshotQueries = {
  entryCount: 'SELECT coalesce(sum(cast(seq AS double precision)), 0) AS count FROM accounts',
  accounts: `
    SELECT ${columns<AccountRow>('partnerId', 'tenantId', 'seq', 'headHash', 'awardedAt', 'day', 'dayPoints')}
    FROM accounts ORDER BY partner_id, tenant_id`,
  entries: (entries: string) =>
    `SELECT ${entrySelection} FROM ${entries} ORDER BY partner_id, tenant_id, seq`,
  userAwards: (entries: string) => `
    SELECT ${columns<UserAward>('tenantId', 'userEmail', 'epTransactionId', 'points', 'userDayTotal', 'awardedAt')}
    FROM ${entries} ORDER BY tenant_id, user_email, awarded_at`,
  userDays: (where = '') => `SELECT ${userDay} FROM user_days ${where} ORDER BY tenant_id, user_email, day`,
  userDayCount: 'SELECT count(*) AS count FROM user_days WHERE points <> 0',
  accountWithoutOwner: `
    SELECT accounts.partner_id AS "partnerId", accounts.tenant_id AS "tenantId"
    FROM accounts
      LEFT JOIN partners ON partners.partner_id = accounts.partner_id
      LEFT JOIN tenants ON tenants.tenant_id = accounts.tenant_id
    WHERE accounts.seq > 0 AND (partners.partner_id IS NULL OR tenants.tenant_id IS NULL)
    LIMIT 1`,
  auditRows: `SELECT ${auditSelection} FROM audit ORDER BY audit_seq`,
}
