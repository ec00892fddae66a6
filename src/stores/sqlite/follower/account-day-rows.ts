import { sumsOfEntry } from '../../../rules/entry-sums.ts'
import { vietnamDay } from '../../../rules/vietnam-day.ts'
import { columns } from '../../columns.ts'
import type { FollowedEntry } from './followed-ledger.ts'

/**
 * The entries of one account and Vietnam day, and what they add up to. Raw amounts of one day may exceed 64 bits. The read
 * model must not stop there, so that it keeps its sums as bigints, and as texts in its rows.
 */
type DaySums<Sum> = {
  partnerId: string
  tenantId: string
  day: number
  firstSeq: number
  lastSeq: number
  awards: number
  points: Sum
  rawAmount: Sum
  remainder: Sum
}

export type AccountDayRow = DaySums<string>

export const accountDaySelection = columns<AccountDayRow>(
  'partnerId',
  'tenantId',
  'day',
  'firstSeq',
  'lastSeq',
  'awards',
  'points',
  'rawAmount',
  'remainder',
)

/** The days of these entries, each once. */
export function accountDaysOf(entries: FollowedEntry[]): DaySums<bigint>[] {
  const days = new Map<string, DaySums<bigint>>()
  for (const entry of entries) {
    const { partnerId, tenantId, seq } = entry
    const day = vietnamDay(entry.awardedAt)
    const name = `${partnerId} ${tenantId} ${day}`
    const sums = sumsOfEntry(entry)
    const known = days.get(name)
    if (known === undefined) {
      const { awards, points, rawAmount, remainder } = sums
      const bigSums = { points: BigInt(points), rawAmount: BigInt(rawAmount), remainder: BigInt(remainder) }
      days.set(name, { partnerId, tenantId, day, firstSeq: seq, lastSeq: seq, awards, ...bigSums })
    } else {
      known.lastSeq = seq
      known.awards += sums.awards
      known.points += BigInt(sums.points)
      known.rawAmount += BigInt(sums.rawAmount)
      known.remainder += BigInt(sums.remainder)
    }
  }
  return [...days.values()]
}

/** The values of a row, in the order of the table's columns: the entries that it counted before, and these. */
export function grownRow(before: AccountDayRow | undefined, added: DaySums<bigint>): (string | number)[] {
  const sum = (name: 'points' | 'rawAmount' | 'remainder') =>
    String(BigInt(before?.[name] ?? 0) + added[name])
  return [
    added.partnerId,
    added.tenantId,
    added.day,
    before?.firstSeq ?? added.firstSeq,
    added.lastSeq,
    (before?.awards ?? 0) + added.awards,
    sum('points'),
    sum('rawAmount'),
    sum('remainder'),
  ]
}
