import { accountKey, type BatchFacts, nextAwardedAt, orderKey, userDayKey } from '../../rules/decide-batch.ts'
import type { AwardCommand } from '../../rules/entry.ts'
import type { KnownAward } from '../../rules/replay.ts'
import { vietnamDay } from '../../rules/vietnam-day.ts'
import { columns } from '../columns.ts'
import type { Database } from './database.ts'
import type { KnownAccounts } from './known-accounts.ts'

/** Reads everything that deciding a batch may look at, inside the batch's transaction. */
export function prepareFacts(database: Database, accounts: KnownAccounts) {
  const selectKnown = database.prepare(`
    SELECT ${columns<KnownAward>('epTransactionId', 'tenantId', 'userEmail', 'rawAmount', 'points', 'note', 'meta', 'awardedAt')}
    FROM entries WHERE partner_id = ? AND order_id = ?`)
  const selectUserDay = database.prepare(`
    SELECT points FROM user_days WHERE tenant_id = ? AND user_email = ? AND day = ?`)

  return (commands: AwardCommand[], now: number): BatchFacts => {
    accounts.begin()
    const facts: BatchFacts = {
      grants: new Map(),
      accounts: new Map(),
      known: new Map(),
      userDays: new Map(),
    }
    for (const { partnerId, tenantId, orderId, userEmail } of commands) {
      const { grant, account } = accounts.get({ partnerId, tenantId })
      const accountAt = accountKey({ partnerId, tenantId })
      facts.grants.set(accountAt, grant)
      facts.accounts.set(accountAt, account)
      const known = selectKnown.get(partnerId, orderId) as KnownAward | undefined
      if (known !== undefined) facts.known.set(orderKey({ partnerId, orderId }), known)

      const day = vietnamDay(nextAwardedAt(account, now))
      const userDayAt = userDayKey({ tenantId, userEmail, day })
      if (!facts.userDays.has(userDayAt)) {
        const row = selectUserDay.get(tenantId, userEmail, day) as { points: number } | undefined
        facts.userDays.set(userDayAt, row?.points ?? 0)
      }
    }
    return facts
  }
}
