import type { AccountId } from '../../rules/cursor.ts'
import {
  type AccountFacts,
  accountKey,
  type BatchDecision,
  type BatchFacts,
} from '../../rules/decide-batch.ts'
import { type Account, emptyAccount } from '../../rules/entry.ts'
import { columns } from '../columns.ts'
import { type GrantRow, grantOf, grantSelection } from '../grant-row.ts'
import type { Database } from './database.ts'

export type KnownAccounts = {
  /** Once in a transaction. */
  load(needed: Map<string, AccountId>): BatchFacts['accounts']
  /** After the COMMIT, and only then. */
  keep(accounts: BatchDecision['accounts']): void
}

const keptMax = 10_000

/**
 * A cache of each account's caps and head. Without it they are half of what a commit with many accounts reads. SQLite reports whether another connection has written anything since (`data_version`):
 * then everything is read again. This connection must be the writer's own.
 */
export function prepareKnownAccounts(database: Database): KnownAccounts {
  const selectVersion = database.prepare('PRAGMA data_version')
  const selectGrant = database.prepare(`
    SELECT ${grantSelection} WHERE grants.partner_id = ? AND grants.tenant_id = ?`)
  const selectAccount = database.prepare(`
    SELECT ${columns<Account>('seq', 'headHash', 'awardedAt', 'day', 'dayPoints')}
    FROM accounts WHERE partner_id = ? AND tenant_id = ?`)
  const kept = new Map<string, AccountFacts>()
  let version: unknown = null
  let versionNow: unknown = null

  function read({ partnerId, tenantId }: AccountId): AccountFacts {
    const grant = selectGrant.get(partnerId, tenantId) as GrantRow | undefined
    const account = selectAccount.get(partnerId, tenantId) as Account | undefined
    return { grant: grantOf(grant), account: account ?? emptyAccount }
  }

  return {
    load(needed) {
      versionNow = selectVersion.get()!.data_version
      if (versionNow !== version || kept.size > keptMax) kept.clear()
      version = null // until this transaction commits: after a failed COMMIT the content of the file is unknown
      const facts: BatchFacts['accounts'] = new Map()
      for (const [key, id] of needed) {
        const known = kept.get(key) ?? read(id)
        kept.set(key, known)
        facts.set(key, known)
      }
      return facts
    },
    keep(accounts) {
      version = versionNow
      for (const { account, ...id } of accounts) kept.get(accountKey(id))!.account = account
    },
  }
}
