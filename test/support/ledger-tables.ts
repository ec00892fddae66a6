import type { Facts } from '../../src/rules/decide.ts'
import {
  accountKey,
  type BatchDecision,
  type BatchFacts,
  decideBatch,
  orderKey,
  userDayKey,
} from '../../src/rules/decide-batch.ts'
import { type Account, type AwardCommand, emptyAccount } from '../../src/rules/entry.ts'
import { factsNeeded } from '../../src/rules/facts-needed.ts'
import type { KnownAward } from '../../src/rules/replay.ts'

/** What a store keeps in its tables. */
export type LedgerTables = {
  grants: Map<string, Facts['grant']>
  accounts: Map<string, Account>
  known: Map<string, KnownAward>
  userDays: Map<string, number>
}

export const caps = { perTx: 5, perPartnerDay: 12, perUserDay: 8 }

export function someTables(): LedgerTables {
  const active = { suspended: false, caps }
  return {
    grants: new Map([
      ['acme t1', active],
      ['acme t2', active],
      ['beta t1', active],
      ['suspended t1', { suspended: true, caps }],
    ]),
    accounts: new Map(),
    known: new Map(),
    userDays: new Map(),
  }
}

export function decideOn(commands: AwardCommand[], tables: LedgerTables, now: number): BatchDecision {
  return decideBatch(commands, factsOf(commands, tables, now), now)
}

/** What a store does before it decides: it loads what is needed, and nothing else. */
export function factsOf(commands: AwardCommand[], tables: LedgerTables, now: number): BatchFacts {
  const needed = factsNeeded(commands)
  const accounts: BatchFacts['accounts'] = new Map(
    [...needed.accounts.keys()].map((key) => [
      key,
      { grant: tables.grants.get(key) ?? null, account: tables.accounts.get(key) ?? emptyAccount },
    ]),
  )
  return {
    accounts,
    known: new Map([...needed.orders.keys()].map((key) => [key, tables.known.get(key) ?? null])),
    userDays: new Map(
      [...needed.userDays(accounts, now).keys()].map((key) => [key, tables.userDays.get(key) ?? 0]),
    ),
  }
}

/** What a store does on commit. */
export function apply(decision: Omit<BatchDecision, 'outcomes'>, tables: LedgerTables): void {
  for (const entry of decision.entries) {
    const { epTransactionId, tenantId, userEmail, rawAmount, points, note, meta, awardedAt } = entry
    const known = { epTransactionId, tenantId, userEmail, rawAmount, points, note, meta, awardedAt }
    tables.known.set(orderKey(entry), known)
  }
  for (const { account, ...at } of decision.accounts) tables.accounts.set(accountKey(at), account)
  for (const { points, ...at } of decision.userDays) tables.userDays.set(userDayKey(at), points)
}
