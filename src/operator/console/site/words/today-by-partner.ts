import { parseDay, vietnamDay } from '../../../../rules/vietnam-day.ts'

type Award = { awardedAt: string; partnerId: string; points: number }
type PartnerShare = { partnerId: string; awards: number; points: number }

/**
 * What a user received today, by partner, the largest share first. `missing` are the EP of today that are not among the
 * awards: those are older than what is loaded.
 */
export function todayByPartner(
  awards: Award[],
  today: { day: string; points: number },
): { partners: PartnerShare[]; missing: number } {
  const day = parseDay(today.day)
  const byPartner = new Map<string, PartnerShare>()
  for (const { awardedAt, partnerId, points } of awards) {
    if (vietnamDay(Date.parse(awardedAt)) !== day) continue
    const share = byPartner.get(partnerId) ?? { partnerId, awards: 0, points: 0 }
    byPartner.set(partnerId, { partnerId, awards: share.awards + 1, points: share.points + points })
  }
  const partners = [...byPartner.values()].sort((a, b) => b.points - a.points)
  const known = partners.reduce((sum, { points }) => sum + points, 0)
  return { partners, missing: Math.max(0, today.points - known) }
}
