export const dayMs = 86_400_000
export const utcOffsetMs = 25_200_000

/** The Vietnam day of a moment, counted from the epoch: fixed +7 h arithmetic, Vietnam has no summer time. */
export function vietnamDay(ms: number): number {
  return Math.floor((ms + utcOffsetMs) / dayMs)
}

/** The moment at which the Vietnam day of `ms` ends and the daily counters start again from zero. */
export function nextVietnamMidnight(ms: number): number {
  return (vietnamDay(ms) + 1) * dayMs - utcOffsetMs
}
