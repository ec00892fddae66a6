import { dayMs, dayText } from './vietnam-day.ts'

/** The last millisecond that a date can have. */
const timeMax = 8_640_000_000_000_000

/** A stored time that we cannot have written. The text leads to its row. */
export class NotATime extends Error {
  constructor(time: string, table: string | null) {
    super(
      `a row${table === null ? '' : ` of ${table}`} cannot be read: it holds ${time}, which is not a date. The database was changed from outside: find the row by this value, or with verify, and correct it from a backup`,
    )
  }
}

export function isTime(ms: number): boolean {
  return Math.abs(ms) <= timeMax
}

/**
 * A time as the API, the log and the command line write it: ISO 8601, UTC, milliseconds. `table`: where it was read,
 * for the error if it is not a date.
 */
export function isoTime(ms: number, table: string | null = null): string {
  if (!isTime(ms)) throw new NotATime(`the time ${ms}`, table)
  return new Date(ms).toISOString()
}

/** The day of a stored time, which was read from `table`. */
export function storedDayText(day: number, table: string): string {
  if (!isTime(day * dayMs)) throw new NotATime(`a time of day ${day} since 1970`, table)
  return dayText(day)
}
