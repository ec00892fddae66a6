import type { AccountDay, AccountFilter, Period, SeqRange } from '../../answers/ledger-queries.ts'
import type { AccountId } from '../../rules/cursor.ts'
import type { Account } from '../../rules/entry.ts'
import { vietnamDay } from '../../rules/vietnam-day.ts'
import { answerStatements } from '../answer-statements.ts'
import { mergedDays, rangesOf } from '../day-ranges.ts'
import { sumsByDay } from '../entry-sums.ts'
import { type Pool, withClient } from './database.ts'
import { type BlockLimits, nameOf, readDaysByBlock, usualBlockLimits } from './days-by-block.ts'
import { readTimesAt } from './entries-at.ts'
import { inWantedRange, ofRanges, readRangeRows, type StatementLimits, usualLimits } from './entry-ranges.ts'
import { readStored } from './stored-values.ts'

/**
 * From the entries themselves: the places of the days are found along the primary key, then each day is added up. Today's
 * are always read along the primary key, because awards arrive meanwhile.
 */
export async function* readAccountDays(
  pool: Pool,
  { partnerId, tenantId, from, to }: AccountFilter & Period,
  limits: StatementLimits = usualLimits,
  blockLimits: BlockLimits = usualBlockLimits,
): AsyncGenerator<AccountDay[]> {
  const heads = await readAccounts(pool, { partnerId, tenantId })
  const today = vietnamDay(heads.reduce((newest, { awardedAt }) => Math.max(newest, awardedAt), 0))
  const past = { from, to: Math.min(to, today - 1) }
  const pastRanges = await readRanges(pool, heads, past)
  const recentRanges = await readRanges(pool, heads, { from: Math.max(from, today), to })
  const byBlock = await readDaysByBlock(pool, pastRanges, past, blockLimits)
  const ranges = inOrderOf(heads, [
    ...pastRanges.filter((range) => !byBlock.has(nameOf(range))),
    ...recentRanges,
  ])
  if (byBlock.size === 0) return yield* readDays(pool, ranges, limits)
  const byKey = Map.groupBy((await Array.fromAsync(readDays(pool, ranges, limits))).flat(), nameOf)
  for (const head of heads) {
    const days = [...(byBlock.get(nameOf(head)) ?? []), ...(byKey.get(nameOf(head)) ?? [])]
    if (days.length > 0) yield days
  }
}

async function* readDays(
  pool: Pool,
  ranges: SeqRange[],
  limits: StatementLimits,
): AsyncGenerator<AccountDay[]> {
  let last: AccountDay[] = []
  for await (const rows of readRangeRows<AccountDay>(pool, ranges, { sql: sumsOfRanges, limits })) {
    const days = mergedDays([...last, ...rows])
    // The next rows may go on with the last day.
    last = days.splice(-1)
    if (days.length > 0) yield days
  }
  if (last.length > 0) yield last
}

function inOrderOf(heads: AccountId[], ranges: SeqRange[]): SeqRange[] {
  const byAccount = Map.groupBy(ranges, nameOf)
  return heads.flatMap((head) => byAccount.get(nameOf(head)) ?? [])
}

const sumsOfRanges = `
  SELECT of_range.* FROM ${ofRanges(sumsByDay(inWantedRange))} ORDER BY "partnerId", "tenantId", day`

export function readAccounts(
  pool: Pool,
  { partnerId, tenantId }: AccountFilter,
): Promise<(AccountId & Account)[]> {
  return withClient(pool, (client) =>
    readStored(client, answerStatements.accounts, [partnerId ?? null, tenantId ?? null]),
  )
}

/** Of one statement: some 20 ms. */
const placesMax = 4_000

async function readRanges(pool: Pool, heads: (AccountId & Account)[], period: Period): Promise<SeqRange[]> {
  if (period.from > period.to) return []
  return rangesOf(heads, period, (places) => readTimesAt(pool, places), placesMax)
}
