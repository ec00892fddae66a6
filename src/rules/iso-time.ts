import { dayMs, dayText } from './vietnam-day.ts'

/** The last millisecond that a date can have. */
const timeMax = 8_640_000_000_000_000

/** A stored time that we cannot have written. The text leads to its row. */
export class NotATime extends Error {
  /** `place`: which row of the table, where that is known. */
  constructor(time: string, table: string | null, place = '') {
    const row = table === null ? 'a row' : `a row of ${table}`
    super(
      `${row}${place} cannot be read: it holds ${time}, which is not a date. The database was changed from outside: ${besideLedger.has(table) ? deleteIt : correctIt}`,
    )
  }
}

/** What servers saw, and who is signed in: a backup of the ledger does not have it, and it can be lost. */
const besideLedger: ReadonlySet<string | null> = new Set([
  ...['journal_refusals', 'journal_replays', 'journal_key_uses', 'alerts'],
  ...['access_log', 'operator_sessions', 'operator_last_uses'],
])
const deleteIt =
  'find the row by this value, on SQLite in the file "…-operator", and delete it: it is not part of the ledger'
const correctIt = 'find the row by this value, or with verify, and correct it from a backup'

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
