import type { AccountId } from '../../rules/cursor.ts'
import type { Facts } from '../../rules/decide.ts'
import { accountKey, type BatchDecision } from '../../rules/decide-batch.ts'
import { type Account, emptyAccount } from '../../rules/entry.ts'
import { columns } from '../columns.ts'
import { type GrantRow, grantOf, grantSelection } from '../grant-row.ts'
import type { Database } from './database.ts'

export type KnownAccounts = {
  /** Inside a transaction, before the first look. */
  begin(): void
  get(id: AccountId): { grant: Facts['grant']; account: Account }
  /** After the COMMIT, and only then. */
  keep(accounts: BatchDecision['accounts']): void
}

const keptMax = 10_000

/**
 * What operators allow an account, and its head, read once and kept: where a commit has awards of many accounts, these
 * would be half of what it reads. SQLite tells whether another connection has written anything since (`data_version`):
 * then all of it is read anew. This connection must be the writer's own.
 */
export function prepareKnownAccounts(database: Database): KnownAccounts {
  const selectVersion = database.prepare('PRAGMA data_version')
  const selectGrant = database.prepare(`
    SELECT ${grantSelection} WHERE grants.partner_id = ? AND grants.tenant_id = ?`)
  const selectAccount = database.prepare(`
    SELECT ${columns<Account>('seq', 'headHash', 'awardedAt', 'day', 'dayPoints')}
    FROM accounts WHERE partner_id = ? AND tenant_id = ?`)
  const kept = new Map<string, ReturnType<KnownAccounts['get']>>()
  let version: unknown = null
  let versionNow: unknown = null

  function read({ partnerId, tenantId }: AccountId) {
    const grant = selectGrant.get(partnerId, tenantId) as GrantRow | undefined
    const account = selectAccount.get(partnerId, tenantId) as Account | undefined
    return { grant: grantOf(grant), account: account ?? emptyAccount }
  }

  return {
    begin() {
      versionNow = selectVersion.get()!.data_version
      if (versionNow !== version || kept.size > keptMax) kept.clear()
      version = null // unless this is committed: after a COMMIT that failed nobody knows what the file says
    },
    get(id) {
      const at = accountKey(id)
      const known = kept.get(at) ?? read(id)
      kept.set(at, known)
      return known
    },
    keep(accounts) {
      version = versionNow
      for (const { account, ...id } of accounts) kept.get(accountKey(id))!.account = account
    },
  }
}
