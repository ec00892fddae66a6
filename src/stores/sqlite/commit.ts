import { type Caps, capsInForce } from '../../rules/caps.ts'
import type { Facts } from '../../rules/decide.ts'
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
import { type Account, type AwardCommand, emptyAccount } from '../../rules/entry.ts'
import type { KnownAward } from '../../rules/replay.ts'
import { vietnamDay } from '../../rules/vietnam-day.ts'
import { type Database, inTransaction, type Row } from './database.ts'
import { entryColumns, entryValues } from './entry-row.ts'

export type Commit = (commands: AwardCommand[], now: number) => Outcome[]

/** One batch, one transaction: load the facts, decide in memory, append, COMMIT. Here lies the whole credit. */
export function prepareCommit(database: Database, defaultCaps: Caps): Commit {
  const loadFacts = prepareLoad(database, defaultCaps)
  const write = prepareWrite(database)
  return (commands, now) =>
    inTransaction(database, () => {
      const decision = decideBatch(commands, loadFacts(commands, now), now)
      write(decision)
      return decision.outcomes
    })
}

function prepareLoad(database: Database, defaultCaps: Caps) {
  const selectGrant = database.prepare(`
    SELECT partners.status, grants.per_tx AS grant_per_tx, grants.per_partner_day AS grant_per_partner_day,
           partners.per_tx, partners.per_partner_day, tenants.per_user_day
    FROM grants JOIN partners USING (partner_id) JOIN tenants USING (tenant_id)
    WHERE grants.partner_id = ? AND grants.tenant_id = ?`)
  const selectAccount = database.prepare(`
    SELECT seq, head_hash, awarded_at, day, day_points FROM accounts WHERE partner_id = ? AND tenant_id = ?`)
  const selectKnown = database.prepare(`
    SELECT ep_transaction_id, tenant_id, user_email, raw_amount, points, note, meta, awarded_at
    FROM entries WHERE partner_id = ? AND order_id = ?`)
  const selectUserDay = database.prepare(`
    SELECT points FROM user_days WHERE tenant_id = ? AND user_email = ? AND day = ?`)

  return (commands: AwardCommand[], now: number): BatchFacts => {
    const facts: BatchFacts = {
      grants: new Map(),
      accounts: new Map(),
      known: new Map(),
      userDays: new Map(),
    }
    for (const { partnerId, tenantId, orderId, userEmail } of commands) {
      const accountAt = accountKey({ partnerId, tenantId })
      if (!facts.grants.has(accountAt)) {
        facts.grants.set(accountAt, grantFromRow(selectGrant.get(partnerId, tenantId), defaultCaps))
        facts.accounts.set(accountAt, accountFromRow(selectAccount.get(partnerId, tenantId)))
      }
      const known = selectKnown.get(partnerId, orderId)
      if (known !== undefined) facts.known.set(orderKey({ partnerId, orderId }), knownFromRow(known))

      const day = vietnamDay(nextAwardedAt(facts.accounts.get(accountAt)!, now))
      const userDayAt = userDayKey({ tenantId, userEmail, day })
      if (!facts.userDays.has(userDayAt)) {
        const row = selectUserDay.get(tenantId, userEmail, day)
        facts.userDays.set(userDayAt, row === undefined ? 0 : (row.points as number))
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

function grantFromRow(row: Row | undefined, defaults: Caps): Facts['grant'] {
  if (row === undefined) return null
  const cap = (column: string) => row[column] as number | null
  return {
    suspended: row.status === 'suspended',
    caps: capsInForce({
      grant: { perTx: cap('grant_per_tx'), perPartnerDay: cap('grant_per_partner_day') },
      partner: { perTx: cap('per_tx'), perPartnerDay: cap('per_partner_day') },
      tenant: { perUserDay: cap('per_user_day') },
      defaults,
    }),
  }
}

function accountFromRow(row: Row | undefined): Account {
  if (row === undefined) return emptyAccount
  return {
    seq: row.seq as number,
    headHash: row.head_hash as Uint8Array,
    awardedAt: row.awarded_at as number,
    day: row.day as number,
    dayPoints: row.day_points as number,
  }
}

function knownFromRow(row: Row): KnownAward {
  return {
    epTransactionId: row.ep_transaction_id as string,
    tenantId: row.tenant_id as string,
    userEmail: row.user_email as string,
    rawAmount: row.raw_amount as number,
    points: row.points as number,
    note: row.note as string | null,
    meta: row.meta as string | null,
    awardedAt: row.awarded_at as number,
  }
}
