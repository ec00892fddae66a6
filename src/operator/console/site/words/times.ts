import { dayMs, utcOffsetMs, vietnamDay } from '../../../../rules/vietnam-day.ts'

const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]
const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** Vietnam time without a suffix: `14:32:07` today, `9 Nov, 10:02:44` on another day, with the year in another year. */
export function shortTime(ms: number, now: number): string {
  return vietnamDay(ms) === vietnamDay(now) ? partsOf(ms + utcOffsetMs).clock : datedTime(ms, now)
}

/** The same with the day, even if it is today. */
export function datedTime(ms: number, now: number): string {
  const { year, month, date, clock } = partsOf(ms + utcOffsetMs)
  const day = `${date} ${months[month]!.slice(0, 3)}`
  return year === partsOf(now + utcOffsetMs).year ? `${day}, ${clock}` : `${day} ${year}, ${clock}`
}

/** The ends of a period: both with their days, unless both are today. */
export function periodTimes(from: number, until: number, now: number): [string, string] {
  const shown = vietnamDay(from) === vietnamDay(until) ? shortTime : datedTime
  return [shown(from, now), shown(until, now)]
}

/** Vietnam time: `16 November 2026, 14:29:40`. */
export function longTime(ms: number): string {
  const { year, month, date, clock } = partsOf(ms + utcOffsetMs)
  return `${date} ${months[month]} ${year}, ${clock}`
}

/** For copied texts: `16 November 2026 at 14:29:40 (UTC+7)`. */
export function copiedTime(ms: number): string {
  return `${longTime(ms).replace(', ', ' at ')} (UTC+7)`
}

/** For the top bar: `Mon 16 Nov, 14:32`. */
export function weekdayTime(ms: number): string {
  const { weekday, date, month, clock } = partsOf(ms + utcOffsetMs)
  return `${weekdays[weekday]!.slice(0, 3)} ${date} ${months[month]!.slice(0, 3)}, ${clock.slice(0, 5)}`
}

/** What a time shows on hover: `16 Nov 2026, 07:29:40 UTC`. */
export function utcTime(ms: number): string {
  const { year, month, date, clock } = partsOf(ms)
  return `${date} ${months[month]!.slice(0, 3)} ${year}, ${clock} UTC`
}

/** `07:29:40 UTC`: printed beside the Vietnam time. */
export function utcClock(ms: number): string {
  return `${partsOf(ms).clock} UTC`
}

/** A Vietnam day, counted from the epoch: `15 Nov 2026`. */
export function shortDay(day: number): string {
  const { year, month, date } = partsOf(day * dayMs)
  return `${date} ${months[month]!.slice(0, 3)} ${year}`
}

/** `Sunday 15 November 2026`. */
export function longDay(day: number): string {
  const { year, month, date, weekday } = partsOf(day * dayMs)
  return `${weekdays[weekday]} ${date} ${months[month]} ${year}`
}

/** The same of a day as the API writes it: `2026-11-15`. */
export function longDayOf(text: string): string {
  return longDay(Date.parse(`${text}T00:00:00Z`) / dayMs)
}

/** Without the year: `15 Nov`. */
export function shortDayOf(text: string): string {
  return shortDay(Date.parse(`${text}T00:00:00Z`) / dayMs).replace(/ \d+$/, '')
}

/** The month of a day: `November 2026`. */
export function monthName(day: number): string {
  const { year, month } = partsOf(day * dayMs)
  return `${months[month]} ${year}`
}

/** How long: `0.8 s`, `42 s`, `28 min`, `9 h 28 min`, `3 days`. */
export function duration(ms: number): string {
  if (ms < 10_000) return `${(Math.max(0, ms) / 1_000).toFixed(1)} s`
  if (ms < 60_000) return `${Math.floor(ms / 1_000)} s`
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 60) return `${minutes} min`
  if (ms < 2 * dayMs) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
  return `${Math.floor(ms / dayMs)} days`
}

/** How far a clock is off: `82.0 s slow`. */
export function clockDifference(ms: number): string {
  return `${(Math.abs(ms) / 1_000).toFixed(1)} s ${ms > 0 ? 'fast' : 'slow'}`
}

function partsOf(ms: number) {
  const time = new Date(ms)
  return {
    year: time.getUTCFullYear(),
    month: time.getUTCMonth(),
    date: time.getUTCDate(),
    weekday: time.getUTCDay(),
    clock: time.toISOString().slice(11, 19),
  }
}
