import type { AccountDay, AccountFilter, EntryPlace, Period, SeqRange } from '../../answers/ledger-queries.ts'
import type { AccountId } from '../../rules/cursor.ts'
import type { Account } from '../../rules/entry.ts'
import { answerStatements, inRange } from '../answer-statements.ts'
import { mergedDays, pagesOf, rangesOf } from '../day-ranges.ts'
import { sumsByDay } from '../entry-sums.ts'
import type { Database } from './database.ts'
import { accountName, type FollowedDays } from './follower/followed-days.ts'
import { prepareNumbered } from './numbered-parameters.ts'
import { readable } from './stored-values.ts'

/** Some 20 ms of reading: the log can start over between two statements. */
const pageSize = 10_000

/**
 * What the read model has added up, and the entries behind it: the places of their days are found along the primary key,
 * then each day is added up.
 */
export async function* readAccountDays(
  database: Database,
  { partnerId, tenantId, ...period }: AccountFilter & Period,
  followed: () => FollowedDays,
): AsyncGenerator<AccountDay[]> {
  const { days, upTo } = followed()
  const heads = readAccounts(database, { partnerId, tenantId })
  const countedOf = (account: AccountId) => upTo.get(accountName(account)) ?? 0
  const behind = heads.filter((head) => head.seq > countedOf(head))
  const ranges = await readRanges(database, behind, period)
  const rangeOf = new Map(ranges.map((range) => [accountName(range), range]))
  const sums = prepareNumbered(database, sumsByDay(inRange))
  for (const head of heads) {
    const range = rangeOf.get(accountName(head))
    const counted = countedOf(head)
    const pages = range === undefined ? [] : [...pagesOf(behindSeq(range, counted), pageSize)]
    const parts = pages.flatMap(
      (page) => sums.all(page.partnerId, page.tenantId, page.firstSeq, page.lastSeq) as AccountDay[],
    )
    const known = days.get(accountName(head)) ?? []
    if (known.length + parts.length > 0) yield mergedDays([...known, ...parts])
  }
}

function behindSeq(range: SeqRange, counted: number): SeqRange {
  return { ...range, firstSeq: Math.max(range.firstSeq, counted + 1) }
}

export function readAccounts(
  database: Database,
  { partnerId, tenantId }: AccountFilter,
): (AccountId & Account)[] {
  const select = prepareNumbered(database, answerStatements.accounts)
  return readable(
    () => select.all(partnerId ?? null, tenantId ?? null) as (AccountId & Account)[],
    'accounts',
  )
}

export function readRanges(
  database: Database,
  heads: (AccountId & Account)[],
  period: Period,
): Promise<SeqRange[]> {
  const timeAt = database.prepare(
    'SELECT awarded_at AS time FROM entries WHERE partner_id = ? AND tenant_id = ? AND seq = ?',
  )
  const timesAt = async (places: EntryPlace[]) =>
    places.map(
      ({ partnerId, tenantId, seq }) => timeAt.get(partnerId, tenantId, seq)?.time as number | undefined,
    )
  return rangesOf(heads, period, timesAt)
}
