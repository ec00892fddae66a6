import {
  accountKey,
  type BatchDecision,
  type BatchFacts,
  decideBatch,
  nextAwardedAt,
  type Outcome,
  orderKey,
  userDayKey,
} from '../../rules/decide-batch.ts'
import type { AwardCommand } from '../../rules/entry.ts'
import type { KnownAward } from '../../rules/replay.ts'
import { vietnamDay } from '../../rules/vietnam-day.ts'
import { columns } from '../columns.ts'
import { entryColumns, entryValues } from '../entry-row.ts'
import { type Database, inTransaction } from './database.ts'
import { type KnownAccounts, prepareKnownAccounts } from './known-accounts.ts'

type Commit = (commands: AwardCommand[], now: number) => Outcome[]

/** One batch, one transaction: load the facts, decide in memory, append, COMMIT. Here lies the whole credit. */
export function prepareCommit(database: Database): Commit {
  const accounts = prepareKnownAccounts(database)
  const loadFacts = prepareLoad(database, accounts)
  const write = prepareWrite(database)
  return (commands, now) => {
    const decision = inTransaction(database, () => {
      const decision = decideBatch(commands, loadFacts(commands, now), now)
      write(decision)
      return decision
    })
    accounts.keep(decision.accounts)
    return decision.outcomes
  }
}

function prepareLoad(database: Database, accounts: KnownAccounts) {
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

function prepareWrite(database: Database) {
  const insertEntry = database.prepare(`
    INSERT INTO entries (${entryColumns.join(', ')}) VALUES (${entryColumns.map(() => '?').join(', ')})`)
  const putAccount = database.prepare(`
    INSERT INTO accounts (partner_id, tenant_id, seq, head_hash, awarded_at, day, day_points)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET seq = excluded.seq, head_hash = excluded.head_hash, awarded_at = excluded.awarded_at,
                              day = excluded.day, day_points = excluded.day_points`)
  const putUserDay = database.prepare(`
    INSERT INTO user_days (tenant_id, user_email, day, points) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET points = excluded.points`)

  return ({ entries, accounts, userDays }: BatchDecision): void => {
    for (const entry of entries) insertEntry.run(...entryValues(entry))
    for (const { partnerId, tenantId, account } of accounts) {
      const { seq, headHash, awardedAt, day, dayPoints } = account
      putAccount.run(partnerId, tenantId, seq, headHash, awardedAt, day, dayPoints)
    }
    for (const { tenantId, userEmail, day, points } of userDays)
      putUserDay.run(tenantId, userEmail, day, points)
  }
}
