import type { AccountId } from '../rules/cursor.ts'
import type { Account } from '../rules/entry.ts'
import { auditSelection } from './audit-event.ts'
import { columns } from './columns.ts'
import { entrySelection } from './entry-row.ts'

/** Entries $3 to $4 of the account ($1, $2). */
export const inRange = 'partner_id = $1 AND tenant_id = $2 AND seq BETWEEN $3 AND $4'

/** What both stores run for operators' questions; for SQLite, `prepareNumbered` rewrites the parameters. */
export const answerStatements = {
  entryOfOrder: `SELECT ${entrySelection} FROM entries WHERE partner_id = $1 AND order_id = $2`,
  entryAt: `SELECT ${entrySelection} FROM entries WHERE partner_id = $1 AND tenant_id = $2 AND seq = $3`,
  entriesIn: `SELECT ${entrySelection} FROM entries WHERE ${inRange} ORDER BY seq`,
  /** Of one partner, one tenant, or with null of all. */
  accounts: `
    SELECT ${columns<AccountId & Account>('partnerId', 'tenantId', 'seq', 'headHash', 'awardedAt', 'day', 'dayPoints')}
    FROM accounts
    WHERE partner_id = coalesce($1, partner_id) AND tenant_id = coalesce($2, tenant_id) AND seq > 0
    ORDER BY partner_id, tenant_id`,
  userDays: `
    SELECT day, points FROM user_days WHERE tenant_id = $1 AND user_email = $2 AND points > 0 ORDER BY day DESC`,
  /** `ofSubjects` is each store's own. */
  auditPage: (ofSubjects: string) => `
    SELECT ${auditSelection} FROM audit
    WHERE audit_seq > $1 AND at >= $2 AND ${ofSubjects} ORDER BY audit_seq LIMIT 500`,
}
