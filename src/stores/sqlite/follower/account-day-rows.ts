import type { AccountDay } from '../../../answers/ledger-queries.ts'
import { sumsOfEntry } from '../../../rules/entry-sums.ts'
import { vietnamDay } from '../../../rules/vietnam-day.ts'
import { columns } from '../../columns.ts'
import type { FollowedEntry } from './followed-ledger.ts'

/**
 * The entries of one account and Vietnam day, and what they add up to. The raw amounts of a day may exceed 64 bits. The read
 * model must not stop there, so that their sum is kept in two parts, each of which is small.
 */
type AccountDayRow = Omit<AccountDay, 'rawAmount'> & { rawHigh: number; rawLow: number }

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

/** The days of these entries, each once. */
export function accountDayRowsOf(entries: FollowedEntry[]): AccountDayRow[] {
  const days = new Map<string, AccountDayRow>()
  for (const entry of entries) {
    const { partnerId, tenantId, seq } = entry
    const day = vietnamDay(entry.awardedAt)
    const { awards, points, rawAmount, remainder } = sumsOfEntry(entry)
    const rawLow = rawAmount % rawBase
    const rawHigh = (rawAmount - rawLow) / rawBase
    const name = `${partnerId} ${tenantId} ${day}`
    const known = days.get(name)
    if (known === undefined) {
      const place = { partnerId, tenantId, day, firstSeq: seq, lastSeq: seq }
      days.set(name, { ...place, awards, points, rawHigh, rawLow, remainder })
    } else {
      known.lastSeq = seq
      known.awards += awards
      known.points += points
      known.rawHigh += rawHigh
      known.rawLow += rawLow
      known.remainder += remainder
    }
  }
  return [...days.values()]
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
