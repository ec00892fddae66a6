import { type Alert, identityOf } from './alert.ts'

/** What the rules look at. Everything is as of one moment, and without sandbox tenants. */
export type Seen = {
  now: number
  /** The Vietnam day, counted from the epoch. */
  day: number
  /** From the ledger: accounts that have used much of their perPartnerDay today. */
  usage: AccountUsage[]
  /** From the ledger: the present perPartnerDay of the accounts that have an open alert, or that refused lately. */
  limits: AccountLimit[]
  /** From the journal, like the others. */
  partners: PartnerSeen[]
  /** Accounts in which perPartnerDay refused an award lately, by the value that it had. */
  refusing: AccountLimit[]
  keys: KeySeen[]
}

export type AccountLimit = { partnerId: string; tenantId: string; limit: number }
export type AccountUsage = AccountLimit & { used: number }

export type PartnerSeen = {
  partnerId: string
  /** The last `recentMinutes`. */
  recent: Counts
  /** The `baselineMinutes` before these. */
  before: Counts
}

export type Counts = {
  responses: number
  credited: number
  /** Refusals of any kind. A replay is not a failure. */
  failures: number
  /** Of a key that exists: of any other key nobody knows the partner. */
  wrongSignatures: number
  /** Replays within 10 s of the original: a client that did not wait for the response. */
  soonReplays: number
  /** Awards that perUserDay refused. */
  perUserDay: number
}

/** `aheadMs`: the partner's clock minus ours, negative if it is behind. */
export type KeySeen = { partnerId: string; keyId: string; aheadMs: number }

export const recentMinutes = 5
export const baselineMinutes = 60

/** A partner's clock may differ from ours by this much. */
export const clockMs = 60_000

/** From these values on, a rule holds. */
const limits = {
  /** Part of perPartnerDay. */
  capNear: 0.8,
  /** In the recent minutes: how many, which part of all responses, and how many times the part of the hour before. */
  failures: { count: 20, part: 0.2, times: 3 },
  /** In the recent minutes. */
  wrongSignatures: 5,
  /** In the recent minutes and the hour before: how many, and which part of the credited awards. */
  soonReplays: { count: 20, part: 0.1 },
  /** In the recent minutes and the hour before. Finding out one user's total takes about as many. */
  perUserDay: 20,
}

/** What holds now, by all rules. */
export function findAlerts(seen: Seen): Alert[] {
  return [
    ...seen.usage.flatMap((account) => capNear(account, seen)),
    ...capReached(seen),
    ...seen.partners.flatMap((partner) => [
      ...failuresJumped(partner),
      ...wrongSignatures(partner),
      ...doubleSending(partner),
      ...userDayProbing(partner),
    ]),
    ...seen.keys.flatMap(clockOff),
  ]
}

function capNear({ partnerId, tenantId, used, limit }: AccountUsage, { day }: Seen): Alert[] {
  if (used < limit * limits.capNear) return []
  return [alert('capNear', { partnerId, tenantId, occasion: capOf(day, limit), facts: { used, limit } })]
}

/** A partner is rarely at exactly 100 %: the cap is reached, too, when an award no longer fits. */
function capReached({ day, usage, refusing, limits }: Seen): Alert[] {
  // A refusal by a cap that was changed since says nothing about the new one.
  const inForce = new Set(limits.map(limitName))
  const accounts = [
    ...usage.filter(({ used, limit }) => used >= limit),
    ...refusing.filter((account) => inForce.has(limitName(account))),
  ]
  const found = accounts.map(({ partnerId, tenantId, limit }) =>
    alert('capReached', { partnerId, tenantId, occasion: capOf(day, limit), facts: { limit } }),
  )
  return [...new Map(found.map((one) => [identityOf(one), one])).values()]
}

/** A cap is crossed once a day for each value that it has on that day. */
function capOf(day: number, limit: number): string {
  return `day ${day}, limit ${limit}`
}

/** Ids have no spaces. */
function limitName({ partnerId, tenantId, limit }: AccountLimit): string {
  return `${partnerId} ${tenantId} ${limit}`
}

export function isOfCap({ kind }: Alert): boolean {
  return kind === 'capNear' || kind === 'capReached'
}

/** A cap that was crossed stays crossed until midnight, as long as it has this value. */
export function isStillCrossed({ partnerId, tenantId, occasion }: Alert, { day, limits }: Seen): boolean {
  return limits.some(
    (account) =>
      account.partnerId === partnerId &&
      account.tenantId === tenantId &&
      capOf(day, account.limit) === occasion,
  )
}

function failuresJumped({ partnerId, recent, before }: PartnerSeen): Alert[] {
  const { failures, responses } = recent
  const { count, part, times } = limits.failures
  const now = partOf(failures, responses)
  const usual = partOf(before.failures, before.responses)
  if (failures < count || now < part || now < usual * times) return []
  return [alert('failuresJumped', { partnerId, facts: { failures, responses, minutes: recentMinutes } })]
}

function wrongSignatures({ partnerId, recent }: PartnerSeen): Alert[] {
  const { wrongSignatures } = recent
  if (wrongSignatures < limits.wrongSignatures) return []
  return [alert('wrongSignatures', { partnerId, facts: { wrongSignatures, minutes: recentMinutes } })]
}

function doubleSending({ partnerId, recent, before }: PartnerSeen): Alert[] {
  const replays = recent.soonReplays + before.soonReplays
  const credited = recent.credited + before.credited
  const { count, part } = limits.soonReplays
  if (replays < count || replays < credited * part) return []
  return [alert('doubleSending', { partnerId, facts: { replays, credited } })]
}

/** perUserDay counts what other partners gave a user, so its refusals reveal something about them: docs/decisions/values-of-the-caps.md. */
function userDayProbing({ partnerId, recent, before }: PartnerSeen): Alert[] {
  const refused = recent.perUserDay + before.perUserDay
  if (refused < limits.perUserDay) return []
  return [alert('userDayProbing', { partnerId, facts: { refused } })]
}

function clockOff({ partnerId, keyId, aheadMs }: KeySeen): Alert[] {
  if (Math.abs(aheadMs) <= clockMs) return []
  return [alert('clockOff', { partnerId, keyId, facts: { aheadSeconds: Math.round(aheadMs / 1_000) } })]
}

type About = Pick<Alert, 'partnerId' | 'facts'> & Partial<Pick<Alert, 'tenantId' | 'keyId' | 'occasion'>>

function alert(kind: Alert['kind'], about: About): Alert {
  return { kind, tenantId: null, keyId: null, occasion: '', ...about }
}

function partOf(some: number, all: number): number {
  return all === 0 ? 0 : some / all
}
