import type { Entry } from '../../src/rules/entry.ts'
import type { AttemptEvent, Event, HistoryLog, Order } from './history-log.ts'

/** The ledger at the end, as it is in the database. */
export type LedgerAtTheEnd = { entries: Entry[]; sound: boolean; fault: string | null }

/** Refusals that a correct service may send for our awards; every other 4xx is a violation. */
type Expected = { refusals: string[] }

/**
 * One checker for every scenario. Whatever was killed, cut or delayed: what the partners were told and
 * what the ledger has must agree (the ids are those of the invariants in docs/internals/testing.md).
 */
export function check(
  log: HistoryLog,
  { entries, sound, fault }: LedgerAtTheEnd,
  expected: Expected = { refusals: [] },
): string[] {
  const violations = sound ? [] : [`verify: ${fault}`]
  const ledger = new Map<string, Entry[]>()
  for (const entry of entries) ledger.set(orderKey(entry), [...(ledger.get(orderKey(entry)) ?? []), entry])
  const histories = historiesOf(log.events)
  for (const [key, history] of histories) {
    violations.push(...checkOrder(key, history, ledger.get(key) ?? [], expected))
  }
  for (const key of ledger.keys()) {
    if (!histories.has(key)) violations.push(`I21: ${key} is in the ledger and nobody sent it`)
  }
  return [...violations, ...checkWalks(log.events, entries)]
}

type OrderHistory = { order: Order; events: AttemptEvent[]; changed: Set<number> }

function historiesOf(events: Event[]): Map<string, OrderHistory> {
  const histories = new Map<string, OrderHistory>()
  const byAttempt = new Map<number, OrderHistory>()
  for (const event of events) {
    if (event.kind === 'invoke') {
      const { order, attempt, changed } = event
      const history = histories.get(orderKey(order)) ?? { order, events: [], changed: new Set() }
      histories.set(orderKey(order), history)
      byAttempt.set(attempt, history)
      if (changed) history.changed.add(attempt)
    }
    if ('attempt' in event) byAttempt.get(event.attempt)!.events.push(event)
  }
  return histories
}

function checkOrder(
  key: string,
  { order, events, changed }: OrderHistory,
  entries: Entry[],
  { refusals }: Expected,
): string[] {
  const violations: string[] = []
  const points = Math.floor(order.amount / 1000)
  let id: string | null = null
  let accepted = 0
  /** Attempts that began after the order had got an ok: from then on it is known. */
  const afterOk = new Set<number>()
  for (const event of events) {
    if (event.kind === 'invoke') {
      if (id !== null) afterOk.add(event.attempt)
    } else if (event.kind === 'ok') {
      if (changed.has(event.attempt)) violations.push(`I5: ${key} with another payload was ${event.status}`)
      if (event.status === 202 && ++accepted > 1) violations.push(`I3: ${key} was 202 twice`)
      if (event.status === 202 && afterOk.has(event.attempt)) violations.push(`I3: ${key} was known, and 202`)
      if (id !== null && event.epTransactionId !== id) violations.push(`I3: ${key} was given two ids`)
      if (event.points !== points) violations.push(`I11: ${key} was given ${event.points} EP, not ${points}`)
      id = event.epTransactionId
    } else if (event.kind === 'fail') {
      const conflict = changed.has(event.attempt) && event.code === 'ORDER_ID_CONFLICT'
      const refused = refusals.includes(event.code) && !afterOk.has(event.attempt)
      if (!conflict && !refused) violations.push(`I14: ${key} was refused: ${event.status} ${event.code}`)
    } else if (event.why.startsWith('500')) {
      violations.push(`${key} was a 500`)
    }
  }
  if (entries.length > 1) violations.push(`I2: ${key} has ${entries.length} entries`)
  const [entry] = entries
  if (entry === undefined) {
    if (id !== null) violations.push(`I1: ${key} was acknowledged and is not in the ledger`)
    return violations
  }
  if (id !== null && entry.epTransactionId !== id) violations.push(`I1: ${key} has another id in the ledger`)
  const asSent = entry.tenantId === order.tenantId && entry.userEmail === order.userEmail
  if (!asSent || entry.rawAmount !== order.amount || entry.points !== points) {
    violations.push(`I5: ${key} is not in the ledger as it was sent`)
  }
  const outcomes = events.filter(({ kind }) => kind !== 'invoke')
  const unfinished = outcomes.length < events.length - outcomes.length
  if (!unfinished && outcomes.every(({ kind }) => kind === 'fail')) {
    violations.push(`I8: ${key} was only ever refused, and is in the ledger`)
  }
  return violations
}

/**
 * I17 and I19: a walk shows every award that was acknowledged before it began, each once, newest first. I18: from the
 * newest it shows down to the first of the account it leaves out none, acknowledged or not.
 */
function checkWalks(events: Event[], entries: Entry[]): string[] {
  const violations: string[] = []
  const entryOf = new Map(entries.map((entry) => [entry.epTransactionId, entry]))
  const ledgerOf = Map.groupBy(entries, accountKey)
  const acknowledged = new Map<string, Set<string>>()
  const begun = new Map<number, { account: string; atLeast: Set<string> }>()
  for (const event of events) {
    if (event.kind === 'ok') {
      const entry = entryOf.get(event.epTransactionId)
      if (entry === undefined) continue
      const account = accountKey(entry)
      acknowledged.set(account, (acknowledged.get(account) ?? new Set()).add(event.epTransactionId))
    } else if (event.kind === 'walk') {
      const account = accountKey(event)
      begun.set(event.walk, { account, atLeast: new Set(acknowledged.get(account)) })
    } else if (event.kind === 'walked') {
      const { account, atLeast } = begun.get(event.walk)!
      const seen = new Set(event.epTransactionIds)
      if (seen.size !== event.epTransactionIds.length)
        violations.push(`I17: a walk of ${account} shows one twice`)
      const missed = [...atLeast].filter((id) => !seen.has(id))
      if (missed.length > 0)
        violations.push(`I17: a walk of ${account} skips ${missed.length}, e.g. ${missed[0]}`)
      const seqs = event.epTransactionIds.map((id) => entryOf.get(id)?.seq ?? Number.NaN)
      if (!seqs.every((seq, index) => index === 0 || seq < seqs[index - 1]!)) {
        violations.push(`I17: a walk of ${account} is not newest first, or shows what is not in the ledger`)
      }
      const shown = seqs[0] ?? 0
      const behind = (ledgerOf.get(account) ?? []).filter(
        ({ seq, epTransactionId }) => seq < shown && !seen.has(epTransactionId),
      )
      if (behind.length > 0)
        violations.push(`I18: a walk of ${account} passed by ${behind.length} that appeared behind it`)
      const foreign = event.epTransactionIds.some((id) => accountKey(entryOf.get(id) ?? noOne) !== account)
      if (foreign) violations.push(`I20: a walk of ${account} shows another account's award`)
    }
  }
  return violations
}

const noOne = { partnerId: '', tenantId: '' }

function orderKey({ partnerId, orderId }: { partnerId: string; orderId: string }): string {
  return `${partnerId}/${orderId}`
}

function accountKey({ partnerId, tenantId }: { partnerId: string; tenantId: string }): string {
  return `${partnerId}/${tenantId}`
}
