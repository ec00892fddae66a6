import type { Entry } from '../../src/rules/entry.ts'

export const dayMs = 86_400_000

const calendar = new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Ho_Chi_Minh', dateStyle: 'short' })

/** The Vietnam date of a moment by the time zone database, not by our own arithmetic. */
function dateInVietnam(ms: number): string {
  return calendar.format(ms)
}

/** The moment at which the Vietnam date of `ms` ends. */
export function midnightAfter(ms: number): number {
  return Date.parse(`${dateInVietnam(ms)}T00:00:00+07:00`) + dayMs
}

/**
 * The days of a ledger, added up without the service's own arithmetic (which `verify` shares with it): time never
 * runs backwards within an account (I16), every total is of its Vietnam day (I15), and no cap is exceeded (I13).
 */
export function checkDays(
  entries: Entry[],
  caps: { perPartnerDay: (partnerId: string) => number; perUserDay: number },
): string[] {
  const violations: string[] = []
  const totals = new Map<string, number>()
  const latest = new Map<string, number>()
  const add = (key: string, points: number) => {
    totals.set(key, (totals.get(key) ?? 0) + points)
    return totals.get(key)!
  }
  for (const entry of entries.toSorted((a, b) => a.seq - b.seq)) {
    const { partnerId, tenantId, userEmail, points, awardedAt, epTransactionId } = entry
    const date = dateInVietnam(awardedAt)
    const account = `${partnerId}/${tenantId}`
    const partnerDay = add(`partner ${account} ${date}`, points)
    const userDay = add(`user ${tenantId} ${userEmail} ${date}`, points)
    if (awardedAt < (latest.get(account) ?? 0))
      violations.push(`I16: ${epTransactionId} is older than the one before`)
    if (partnerDay !== entry.partnerDayTotal)
      violations.push(
        `I15: ${epTransactionId} counts ${entry.partnerDayTotal} EP where ${date} has ${partnerDay}`,
      )
    if (partnerDay > caps.perPartnerDay(partnerId))
      violations.push(`I13: ${account} has ${partnerDay} EP on ${date}`)
    if (userDay > caps.perUserDay) violations.push(`I13: a user of ${tenantId} has ${userDay} EP on ${date}`)
    latest.set(account, awardedAt)
  }
  return violations
}
