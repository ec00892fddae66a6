export const dayMs = 86_400_000
export const utcOffsetMs = 25_200_000

/** The Vietnam day of a time, counted from the epoch. A fixed +7 h is enough: Vietnam has no daylight saving time. */
export function vietnamDay(ms: number): number {
  return Math.floor((ms + utcOffsetMs) / dayMs)
}

/** The time at which the Vietnam day of `ms` ends and the daily counters reset. */
export function nextVietnamMidnight(ms: number): number {
  return (vietnamDay(ms) + 1) * dayMs - utcOffsetMs
}
