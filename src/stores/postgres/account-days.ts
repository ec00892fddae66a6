import type { AccountDay, AccountFilter, Period, SeqRange } from '../../answers/ledger-queries.ts'
import type { AccountId } from '../../rules/cursor.ts'
import type { Account } from '../../rules/entry.ts'
import { answerStatements } from '../answer-statements.ts'
import { mergedDays, rangesOf } from '../day-ranges.ts'
import { sumsByDay } from '../entry-sums.ts'
import { type Pool, withClient } from './database.ts'
import { readTimesAt } from './entries-at.ts'
import { inWantedRange, ofRanges, readRangeRows, type StatementLimits, usualLimits } from './entry-ranges.ts'
import { readStored } from './stored-values.ts'

/** From the entries themselves: the places of the days are found along the primary key, then each day is added up. */
export async function* readAccountDays(
  pool: Pool,
  { partnerId, tenantId, ...period }: AccountFilter & Period,
  limits: StatementLimits = usualLimits,
): AsyncGenerator<AccountDay[]> {
  const heads = await readAccounts(pool, { partnerId, tenantId })
  const ranges = await readRanges(pool, heads, period)
  let last: AccountDay[] = []
  for await (const rows of readRangeRows<AccountDay>(pool, ranges, { sql: sumsOfRanges, limits })) {
    const days = mergedDays([...last, ...rows])
    // The next rows may go on with the last day.
    last = days.splice(-1)
    if (days.length > 0) yield days
  }
  if (last.length > 0) yield last
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

function readRanges(pool: Pool, heads: (AccountId & Account)[], period: Period): Promise<SeqRange[]> {
  return rangesOf(heads, period, (places) => readTimesAt(pool, places))
}
