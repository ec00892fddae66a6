import type { UserTotal } from '../answers/ledger-queries.ts'
import type { Entry } from '../rules/entry.ts'

/** By tenant: of totals that may name a user several times, the highest of each, and of these the highest. */
export function highestByTenant(
  totals: (UserTotal & { tenantId: string })[],
  limit: number,
): Map<string, UserTotal[]> {
  const tenants = Map.groupBy(totals, ({ tenantId }) => tenantId)
  return new Map([...tenants].map(([tenantId, ofTenant]) => [tenantId, highestOf(ofTenant, limit)]))
}

function highestOf(totals: UserTotal[], limit: number): UserTotal[] {
  const highest = new Map<string, number>()
  for (const { userEmail, points } of totals)
    highest.set(userEmail, Math.max(points, highest.get(userEmail) ?? 0))
  return [...highest]
    .map(([userEmail, points]) => ({ userEmail, points }))
    .sort((a, b) => b.points - a.points || (a.userEmail < b.userEmail ? -1 : 1))
    .slice(0, limit)
}

/** Awards of one millisecond are in the order of their account; between accounts their order means nothing. */
export function newestFirst(entries: Entry[]): Entry[] {
  return entries.sort(
    (a, b) =>
      b.awardedAt - a.awardedAt ||
      (a.partnerId === b.partnerId ? b.seq - a.seq : a.partnerId < b.partnerId ? -1 : 1),
  )
}
