import type { BatchFacts } from '../../rules/decide-batch.ts'
import type { AwardCommand } from '../../rules/entry.ts'
import { factsNeeded } from '../../rules/facts-needed.ts'
import type { KnownAward } from '../../rules/replay.ts'
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
    const needed = factsNeeded(commands)
    const facts: BatchFacts = {
      accounts: accounts.load(needed.accounts),
      known: new Map(),
      userDays: new Map(),
    }
    for (const [key, { partnerId, orderId }] of needed.orders) {
      const known = selectKnown.get(partnerId, orderId) as KnownAward | undefined
      facts.known.set(key, known ?? null)
    }
    for (const [key, { tenantId, userEmail, day }] of needed.userDays(facts.accounts, now)) {
      const row = selectUserDay.get(tenantId, userEmail, day) as { points: number } | undefined
      facts.userDays.set(key, row?.points ?? 0)
    }
    return facts
  }
}
