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

/** The time at which a Vietnam day begins. */
export function vietnamDayStart(day: number): number {
  return day * dayMs - utcOffsetMs
}

/** A day as operators write it: `2026-11-16`. */
export function dayText(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10)
}

/** Null if the text is not a day of the calendar. */
export function parseDay(text: string): number | null {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return null
  const day = Date.parse(`${text}T00:00:00Z`) / dayMs
  return Number.isInteger(day) && dayText(day) === text ? day : null
}
