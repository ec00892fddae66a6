import { fitsUnder } from '../rules/caps.ts'
import type { EntrySums } from '../rules/entry-sums.ts'

/** perUserDay is not tried: a refusal on record does not say whose it was. */
export type TriedCapName = 'perTx' | 'perPartnerDay'

/** Another value of a cap, and what it does to the awards of a day. */
export type CapTrial = {
  limit: number
  /** It limits the total of a day: where it refuses some of the credited awards, there is no room for others. */
  isOfDay: boolean
  /** Whether it refuses nothing of a day, as far as that can be said without reading the awards. */
  keepsAll(day: EntrySums): boolean
  /** Whether it keeps an award that was credited, beside the EP that it has kept of the day so far. */
  keeps(points: number, used: number): boolean
  /** Whether it admits an award that was refused, beside the EP of the day. */
  admits(points: number, used: number): boolean
}

export function perPartnerDayTrial(limit: number): CapTrial {
  const fits = (points: number, used: number) => fitsUnder(limit, used, points)
  return { limit, isOfDay: true, keepsAll: (day) => day.points <= limit, keeps: fits, admits: fits }
}

/** An award that perTx admits must still fit under perPartnerDay, which is taken as it is now. */
export function perTxTrial(limit: number, perPartnerDay: number): CapTrial {
  const isSmall = (points: number) => points <= limit
  return {
    limit,
    isOfDay: false,
    keepsAll: (day) => day.points <= limit,
    keeps: isSmall,
    admits: (points, used) => isSmall(points) && fitsUnder(perPartnerDay, used, points),
  }
}
