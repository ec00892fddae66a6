import type { Caps } from '../../src/rules/caps.ts'
import type { AwardCommand, Entry } from '../../src/rules/entry.ts'

/**
 * A ledger as one would keep it on paper: a list of entries, summed up again for every question. It is slow and shares
 * no code with the rules, so that the rules can be checked against it.
 */
export function plainAnswer(
  command: AwardCommand,
  ledger: Entry[],
  { now, caps, grants }: { now: number; caps: Caps; grants: Map<string, { suspended: boolean } | null> },
): string {
  const { partnerId, tenantId, orderId, userEmail, amount, note } = command
  const grant = grants.get(accountOf(command))
  if (!grant) return 'TENANT_NOT_ALLOWED'
  const original = ledger.find((entry) => entry.partnerId === partnerId && entry.orderId === orderId)
  if (original !== undefined) {
    const asked = [tenantId, userEmail, amount, note].join()
    const given = [original.tenantId, original.userEmail, original.rawAmount, original.note].join()
    return asked === given ? 'duplicate' : 'ORDER_ID_CONFLICT'
  }
  if (grant.suspended) return 'PARTNER_SUSPENDED'
  const points = Math.floor(amount / 1000)
  if (points === 0) return 'AMOUNT_BELOW_MIN'
  if (points > caps.perTx) return 'PER_TX_CAP_EXCEEDED'
  const latest = ledger.findLast((entry) => accountOf(entry) === accountOf(command))
  const at = { ...command, awardedAt: Math.max(now, latest?.awardedAt ?? 0) }
  if (usedByPartner(at, ledger) + points > caps.perPartnerDay) return 'DAILY_CAP_EXCEEDED'
  if (usedByUser(at, ledger) + points > caps.perUserDay) return 'DAILY_CAP_EXCEEDED'
  return 'credited'
}

type Place = Pick<Entry, 'partnerId' | 'tenantId' | 'userEmail' | 'awardedAt'>

export function usedByPartner(at: Place, ledger: Entry[]): number {
  const own = ledger.filter((entry) => accountOf(entry) === accountOf(at))
  return sumOfDay(at, own)
}

export function usedByUser(at: Place, ledger: Entry[]): number {
  const received = ledger.filter(
    ({ tenantId, userEmail }) => tenantId === at.tenantId && userEmail === at.userEmail,
  )
  return sumOfDay(at, received)
}

function sumOfDay({ awardedAt }: Place, entries: Entry[]): number {
  const ofTheDay = entries.filter((entry) => dayOf(entry.awardedAt) === dayOf(awardedAt))
  return ofTheDay.reduce((sum, { points }) => sum + points, 0)
}

export function accountOf({ partnerId, tenantId }: { partnerId: string; tenantId: string }): string {
  return `${partnerId} ${tenantId}`
}

/** The Vietnam day as the calendar has it: the UTC day of seven hours later. */
export function dayOf(ms: number): number {
  return Date.parse(new Date(ms + 7 * 3_600_000).toISOString().slice(0, 10)) / 86_400_000
}
