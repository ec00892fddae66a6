import type { AccountDay } from '../../../answers/ledger-queries.ts'
import type { AccountId } from '../../../rules/cursor.ts'
import type { Entry } from '../../../rules/entry.ts'
import { sumsOfEntry } from '../../../rules/entry-sums.ts'
import { vietnamDay } from '../../../rules/vietnam-day.ts'
import { columns } from '../../columns.ts'

/**
 * The entries of one account and Vietnam day, and what they add up to. The raw amounts of a day may exceed 64 bits. The read
 * model must not stop there, so that their sum is kept in two parts, each of which is small.
 */
export type AccountDayRow = Omit<AccountDay, 'rawAmount'> & { rawHigh: number; rawLow: number }

const rawBase = 1_000_000_000

const names = [
  'partnerId',
  'tenantId',
  'day',
  'firstSeq',
  'lastSeq',
  'awards',
  'points',
  'rawHigh',
  'rawLow',
  'remainder',
] as const

export const accountDayColumns = names.length
export const accountDaySelection = columns<AccountDayRow>(...names)

type SummedEntry = AccountId & Pick<Entry, 'seq' | 'rawAmount' | 'amountPerEp' | 'points' | 'awardedAt'>

/** The days of these entries, each once. */
export function accountDayRowsOf(entries: SummedEntry[]): AccountDayRow[] {
  const days = new Map<string, AccountDayRow>()
  for (const entry of entries) {
    const day = vietnamDay(entry.awardedAt)
    const name = `${entry.partnerId} ${entry.tenantId} ${day}`
    const known = days.get(name)
    if (known === undefined) days.set(name, addEntry(newDay(entry, day), entry))
    else addEntry(known, entry)
  }
  return [...days.values()]
}

/** A day without entries. The next one that is added is its first. */
export function newDay(
  { partnerId, tenantId, seq }: AccountId & { seq: number },
  day: number,
): AccountDayRow {
  const sums = { awards: 0, points: 0, rawHigh: 0, rawLow: 0, remainder: 0 }
  return { partnerId, tenantId, day, firstSeq: seq, lastSeq: seq, ...sums }
}

export function addEntry(day: AccountDayRow, entry: SummedEntry): AccountDayRow {
  const { awards, points, rawAmount, remainder } = sumsOfEntry(entry)
  const rawLow = rawAmount % rawBase
  day.lastSeq = entry.seq
  day.awards += awards
  day.points += points
  day.rawHigh += (rawAmount - rawLow) / rawBase
  day.rawLow += rawLow
  day.remainder += remainder
  return day
}

/** In the order of the table's columns. */
export function accountDayValues(row: AccountDayRow): (string | number)[] {
  return [
    row.partnerId,
    row.tenantId,
    row.day,
    row.firstSeq,
    row.lastSeq,
    row.awards,
    row.points,
    row.rawHigh,
    row.rawLow,
    row.remainder,
  ]
}

type AccountDayColumns = [string, string, number, number, number, number, number, number, number, number]

/** A rounded sum of money would be worse than none. */
export function accountDayOf(values: AccountDayColumns): AccountDay {
  const [partnerId, tenantId, day, firstSeq, lastSeq, awards, points, rawHigh, rawLow, remainder] = values
  const rawAmount = rawHigh * rawBase + rawLow
  if (!Number.isSafeInteger(rawAmount))
    throw new Error('the raw amounts of one account and day exceed 2^53 - 1')
  return { partnerId, tenantId, day, firstSeq, lastSeq, awards, points, rawAmount, remainder }
}
