import type { AccountDay, AccountFilter, EntryPlace, Period, SeqRange } from '../../answers/ledger-queries.ts'
import type { AccountId } from '../../rules/cursor.ts'
import type { Account } from '../../rules/entry.ts'
import { vietnamDay } from '../../rules/vietnam-day.ts'
import { answerStatements, inRange } from '../answer-statements.ts'
import { mergedDays, pagesOf, rangesOf } from '../day-ranges.ts'
import { sumsByDay } from '../entry-sums.ts'
import { prepareRowArrays } from '../../shortcuts/row-arrays.ts'
import type { Database } from './database.ts'
import { accountName, type FollowedDays } from './follower/followed-days.ts'
import { prepareReading, readable } from './stored-values.ts'

/** Some 20 ms of reading: the log can start over between two statements. */
const pageSize = 10_000

/**
 * What the read model has added up, and the entries behind it: the places of their days are found along the primary key,
 * then each day is added up. The read model is a file that others can change: where its awards or EP are not those of the
 * ledger, the entries are read.
 */
export async function* readAccountDays(
  database: Database,
  { partnerId, tenantId, ...period }: AccountFilter & Period,
  followed: () => FollowedDays,
): AsyncGenerator<AccountDay[]> {
  const { days, upTo } = followed()
  const areRight = prepareDaysCheck(database, period)
  const accounts = readAccounts(database, { partnerId, tenantId }).map((head) => {
    const found = days.get(accountName(head)) ?? []
    const counted = upTo.get(accountName(head)) ?? 0
    const known = areRight(found, counted) ? found : []
    const next = (known.at(-1)?.lastSeq ?? 0) + 1
    const isWhole = known.length > 0 && (next <= counted || counted === head.seq)
    return { head, known, next, isWhole }
  })
  const heads = accounts.filter(({ isWhole }) => !isWhole).map(({ head }) => head)
  const ranges = await readRanges(database, heads, period)
  const rangeOf = new Map(ranges.map((range) => [accountName(range), range]))
  const sums = prepareReading(database, 'entries', sumsByDay(inRange))
  for (const { head, known, next } of accounts) {
    const range = rangeOf.get(accountName(head))
    const pages = range === undefined ? [] : [...pagesOf(fromSeq(range, next), pageSize)]
    const parts = pages.flatMap(
      (page) => sums.all(page.partnerId, page.tenantId, page.firstSeq, page.lastSeq) as AccountDay[],
    )
    if (known.length + parts.length > 0) yield mergedDays([...known, ...parts])
  }
}

function fromSeq(range: SeqRange, seq: number): SeqRange {
  return { ...range, firstSeq: Math.max(range.firstSeq, seq) }
}

/**
 * Whether these days of one account are all that it has in the period up to the entry `counted`, with the awards and EP
 * of the ledger: an entry has the total of its account's day in it. There is no such total of raw amounts, which `verify`
 * compares.
 */
function prepareDaysCheck(
  database: Database,
  { from, to }: Period,
): (days: AccountDay[], counted: number) => boolean {
  const at = database.prepare(
    'SELECT awarded_at, partner_day_total FROM entries WHERE partner_id = ? AND tenant_id = ? AND seq = ?',
  )
  const read = prepareRowArrays(at, ([awardedAt, total]: [number, number]) => ({
    day: vietnamDay(awardedAt),
    total,
  }))
  const entryAt = ({ partnerId, tenantId }: AccountId, seq: number) =>
    readable(() => read(partnerId, tenantId, seq)[0], 'entries')

  function isRight(day: AccountDay): boolean {
    const { firstSeq, lastSeq } = day
    const last = entryAt(day, lastSeq)
    if (entryAt(day, firstSeq)?.day !== day.day || last?.day !== day.day) return false
    return day.awards === lastSeq - firstSeq + 1 && day.points === last.total
  }

  return (days, counted) => {
    const [first, last] = [days[0], days.at(-1)]
    if (first === undefined || last === undefined) return false
    const begins = first.firstSeq === 1 || (entryAt(first, first.firstSeq - 1)?.day ?? from) < from
    const ends = last.lastSeq === counted || (entryAt(last, last.lastSeq + 1)?.day ?? to) > to
    const follows = (day: AccountDay, index: number) =>
      index === 0 || day.firstSeq === days[index - 1]!.lastSeq + 1
    return begins && ends && days.every(follows) && days.every(isRight)
  }
}

export function readAccounts(
  database: Database,
  { partnerId, tenantId }: AccountFilter,
): (AccountId & Account)[] {
  const select = prepareReading(database, 'accounts', answerStatements.accounts)
  return select.all(partnerId ?? null, tenantId ?? null) as (AccountId & Account)[]
}

export function readRanges(
  database: Database,
  heads: (AccountId & Account)[],
  period: Period,
): Promise<SeqRange[]> {
  const timeAt = prepareReading(
    database,
    'entries',
    'SELECT awarded_at AS time FROM entries WHERE partner_id = ? AND tenant_id = ? AND seq = ?',
  )
  const timesAt = async (places: EntryPlace[]) =>
    places.map(
      ({ partnerId, tenantId, seq }) => timeAt.get(partnerId, tenantId, seq)?.time as number | undefined,
    )
  return rangesOf(heads, period, timesAt)
}
