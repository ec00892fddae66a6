import { NoAnswer } from './no-answer.ts'

/** Milliseconds since 1970: from `from` on, up to `to`, which is not in it. */
export type TimeRange = { from: number | null; to: number | null }

const dayMs = 86_400_000
const vietnamMs = 7 * 3_600_000

/** A Vietnam day (2025-11-15), as `to` with the whole of it, or an instant with its zone (2025-11-15T08:00:00Z). */
export function readTimeRange({ from, to }: { from?: string; to?: string }): TimeRange {
  const range = {
    from: from === undefined ? null : instant(from, '--from', 0),
    to: to === undefined ? null : instant(to, '--to', dayMs),
  }
  if (range.from !== null && range.to !== null && range.from >= range.to) {
    throw new NoAnswer('--from must be before --to')
  }
  return range
}

export function isWithin(time: number, { from, to }: TimeRange): boolean {
  return (from === null || time >= from) && (to === null || time < to)
}

function instant(text: string, option: string, dayEndMs: number): number {
  const day = /^\d{4}-\d\d-\d\d$/.test(text)
  const zoned = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/.test(text)
  const time = day || zoned ? Date.parse(text) : Number.NaN
  // Date.parse takes 31 June for 1 July.
  const isReal = !Number.isNaN(time) && isDate(text.slice(0, 10))
  if (!isReal) {
    throw new NoAnswer(
      `${option} must be a Vietnam day (2025-11-15) or a time with its zone (2025-11-15T08:00:00+07:00)`,
    )
  }
  return day ? time - vietnamMs + dayEndMs : time
}

function isDate(day: string): boolean {
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day)
}
