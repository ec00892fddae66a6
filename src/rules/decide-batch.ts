import { type Decision, decide, type Facts } from './decide.ts'
import type { Account, AwardCommand, Entry } from './entry.ts'
import { entryHash } from './entry-hash.ts'
import { amountPerEp } from './points.ts'
import type { Rejection } from './rejection.ts'
import type { KnownAward } from './replay.ts'
import { nextVietnamMidnight, vietnamDay } from './vietnam-day.ts'

/**
 * Everything the decisions of one batch look at, loaded by the store while it holds the accounts' locks. Also what the
 * ledger does not have is in here, as such: a key that is missing was not loaded, and that is a bug.
 */
export type BatchFacts = {
  /** An account that has no entry yet is the empty one. */
  accounts: Map<string, AccountFacts>
  /** Null: the order is new. */
  known: Map<string, KnownAward | null>
  userDays: Map<string, number>
}

export type AccountFacts = { grant: Facts['grant']; account: Account }

/** The outcome for the partner, sent once the batch is durable. */
export type Outcome =
  | {
      kind: 'credited'
      epTransactionId: string
      points: number
      partnerDayRemaining: number
      dayResetsAt: number
    }
  /** `awardedAt` is that of the original. */
  | { kind: 'duplicate'; epTransactionId: string; points: number; awardedAt: number }
  | { kind: 'rejected'; rejection: Rejection }

export type UserDay = { tenantId: string; userEmail: string; day: number; points: number }

/** `outcomes` are in the order of the commands. The store writes the rest before any response is sent. */
export type BatchDecision = {
  outcomes: Outcome[]
  entries: Entry[]
  accounts: { partnerId: string; tenantId: string; account: Account }[]
  userDays: UserDay[]
}

/**
 * Decides a batch in memory, command after command, each seeing what the ones before it did: totals add up inside
 * the batch, and a copy of an order that is credited here is its duplicate.
 */
export function decideBatch(commands: AwardCommand[], facts: BatchFacts, now: number): BatchDecision {
  const outcomes: Outcome[] = []
  const entries: Entry[] = []
  const accounts = new Map<string, BatchDecision['accounts'][number]>()
  const userDays = new Map<string, UserDay>()
  const credited = new Map<string, KnownAward>()

  for (const command of commands) {
    const { partnerId, tenantId, userEmail } = command
    const accountAt = accountKey(command)
    const orderAt = orderKey(command)
    const { grant, account: head } = loaded(facts.accounts.get(accountAt), 'an account')
    const account = accounts.get(accountAt)?.account ?? head
    const awardedAt = nextAwardedAt(account, now)
    const day = vietnamDay(awardedAt)
    const userDayAt = userDayKey({ tenantId, userEmail, day })
    const used = {
      partnerDay: account.day === day ? account.dayPoints : 0,
      userDay: userDays.get(userDayAt)?.points ?? loaded(facts.userDays.get(userDayAt), "a user's day"),
    }
    const decision = decide(command, {
      grant,
      known: credited.get(orderAt) ?? loaded(facts.known.get(orderAt), 'an order'),
      awardedAt,
      partnerDayUsed: used.partnerDay,
      userDayUsed: used.userDay,
    })
    outcomes.push(outcomeOf(decision, command, used.partnerDay, awardedAt))
    if (decision.kind !== 'credit') continue

    const entry = nextEntry(command, account, decision, used, awardedAt)
    entries.push(entry)
    credited.set(orderAt, entry)
    userDays.set(userDayAt, { tenantId, userEmail, day, points: entry.userDayTotal })
    accounts.set(accountAt, {
      partnerId,
      tenantId,
      account: { seq: entry.seq, headHash: entry.hash, awardedAt, day, dayPoints: entry.partnerDayTotal },
    })
  }
  return { outcomes, entries, accounts: [...accounts.values()], userDays: [...userDays.values()] }
}

/**
 * A loader that forgets a fact, or reads that of another day, must not lift a cap: the batch fails. The message does not
 * say whose fact it is, because it goes to the log.
 */
export function loaded<T>(fact: T | undefined, what: string): T {
  if (fact === undefined) throw new Error(`the store has not loaded ${what} that the batch needs`)
  return fact
}

/** The time of an account's next award: a clock that jumps back never turns its order round or re-opens a day. */
export function nextAwardedAt(account: Account, now: number): number {
  return Math.max(now, account.awardedAt)
}

/** Keys of the maps. Ids have no spaces, and what may have one comes last. */
export function accountKey(at: { partnerId: string; tenantId: string }): string {
  return `${at.partnerId} ${at.tenantId}`
}

export function orderKey(at: { partnerId: string; orderId: string }): string {
  return `${at.partnerId} ${at.orderId}`
}

export function userDayKey(at: { tenantId: string; userEmail: string; day: number }): string {
  return `${at.tenantId} ${at.day} ${at.userEmail}`
}

function nextEntry(
  command: AwardCommand,
  account: Account,
  { points, caps }: Extract<Decision, { kind: 'credit' }>,
  used: { partnerDay: number; userDay: number },
  awardedAt: number,
): Entry {
  const { partnerId, tenantId, epTransactionId, orderId, userEmail, note, meta, salt, amount } = command
  const entry = {
    partnerId,
    tenantId,
    epTransactionId,
    orderId,
    userEmail,
    note,
    meta,
    salt,
    seq: account.seq + 1,
    commitment: null,
    rawAmount: amount,
    amountPerEp,
    points,
    awardedAt,
    caps,
    partnerDayTotal: used.partnerDay + points,
    userDayTotal: used.userDay + points,
  }
  return { ...entry, hash: entryHash(entry, account.headHash) }
}

function outcomeOf(
  decision: Decision,
  command: AwardCommand,
  partnerDayUsed: number,
  awardedAt: number,
): Outcome {
  switch (decision.kind) {
    case 'reject':
      return { kind: 'rejected', rejection: decision.rejection }
    case 'duplicate': {
      const { epTransactionId, points, awardedAt } = decision.original
      return { kind: 'duplicate', epTransactionId, points, awardedAt }
    }
    case 'credit': {
      const { points, caps } = decision
      return {
        kind: 'credited',
        epTransactionId: command.epTransactionId,
        points,
        partnerDayRemaining: caps.perPartnerDay - partnerDayUsed - points,
        dayResetsAt: nextVietnamMidnight(awardedAt),
      }
    }
  }
}
