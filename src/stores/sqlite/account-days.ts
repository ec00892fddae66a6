import type { AccountDay, AccountFilter, Period, SeqRange } from '../../answers/ledger-queries.ts'
import type { AccountId } from '../../rules/cursor.ts'
import type { Account } from '../../rules/entry.ts'
import { answerStatements } from '../answer-statements.ts'
import { mergedDays, type Place, pagesOf, rangesOf } from '../day-ranges.ts'
import { sumsByDay } from '../entry-sums.ts'
import type { Database } from './database.ts'
import { prepareNumbered } from './numbered-parameters.ts'

/** Some 20 ms of reading: the log can start over between two statements. */
const pageSize = 10_000

/** From the entries themselves: the places of the days are found along the primary key, then each day is added up. */
export async function* readAccountDays(
  database: Database,
  { partnerId, tenantId, ...period }: AccountFilter & Period,
): AsyncGenerator<AccountDay[]> {
  const heads = readAccounts(database, { partnerId, tenantId })
  const sums = prepareNumbered(database, sumsByDay)
  for (const range of await readRanges(database, heads, period)) {
    const parts = [...pagesOf(range, pageSize)].flatMap(
      (page) => sums.all(page.partnerId, page.tenantId, page.firstSeq, page.lastSeq) as AccountDay[],
    )
    yield mergedDays(parts)
  }
}

export function readAccounts(
  database: Database,
  { partnerId, tenantId }: AccountFilter,
): (AccountId & Account)[] {
  const select = prepareNumbered(database, answerStatements.accounts)
  return select.all(partnerId ?? null, tenantId ?? null) as (AccountId & Account)[]
}

export function readRanges(
  database: Database,
  heads: (AccountId & Account)[],
  period: Period,
): Promise<SeqRange[]> {
  const timeAt = database.prepare(
    'SELECT awarded_at AS time FROM entries WHERE partner_id = ? AND tenant_id = ? AND seq = ?',
  )
  const timesAt = async (places: Place[]) =>
    places.map(({ partnerId, tenantId, seq }) => timeAt.get(partnerId, tenantId, seq)?.time as number)
  return rangesOf(heads, period, timesAt)
}
