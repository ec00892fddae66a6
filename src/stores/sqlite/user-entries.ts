import type { LedgerQueries, SeqRange, UserId, UserTotal } from '../../answers/ledger-queries.ts'
import type { Entry } from '../../rules/entry.ts'
import { answerStatements, inRange } from '../answer-statements.ts'
import { pagesOf } from '../day-ranges.ts'
import { type EntryRow, entryOf, entrySelection } from '../entry-row.ts'
import { highestByTenant, newestFirst } from '../user-rows.ts'
import { readAccounts, readRanges } from './account-days.ts'
import type { Database } from './database.ts'
import { prepareReading } from './stored-values.ts'

const pageSize = 10_000

export function readHighestUserDays(
  database: Database,
  ranges: SeqRange[],
  limit: number,
): Awaited<ReturnType<LedgerQueries['highestUserDays']>> {
  const highest = prepareReading(database, 'entries', userTotals)
  const pages = ranges.flatMap((range) => [...pagesOf(range, pageSize)])
  const rows = pages.flatMap(({ partnerId, tenantId, firstSeq, lastSeq }) => {
    const totals = highest.all(partnerId, tenantId, firstSeq, lastSeq, limit) as UserTotal[]
    return totals.map((total) => ({ tenantId, ...total }))
  })
  return highestByTenant(rows, limit)
}

/** A user's total after an award is the total of the day so far, so that the highest is the last. */
const userTotals = `
  SELECT user_email AS "userEmail", max(user_day_total) AS points FROM entries WHERE ${inRange}
  GROUP BY user_email ORDER BY points DESC, user_email LIMIT $5`

/** No index has a user's entries. But user_days has the days on which there are some, and only these are read. */
export async function readUserEntries(
  database: Database,
  { tenantId, userEmail }: UserId,
  limit: number,
): Promise<Entry[]> {
  const days = readUserDays(database, { tenantId, userEmail })
  const heads = readAccounts(database, { tenantId })
  const select = prepareReading(
    database,
    'entries',
    `SELECT ${entrySelection} FROM entries
    WHERE partner_id = ? AND tenant_id = ? AND seq BETWEEN ? AND ? AND user_email = ?`,
  )
  const found: Entry[] = []
  for (const { day } of days) {
    if (found.length >= limit) break
    for (const range of await readRanges(database, heads, { from: day, to: day })) {
      for (const { partnerId, firstSeq, lastSeq } of pagesOf(range, pageSize)) {
        const rows = select.all(partnerId, tenantId, firstSeq, lastSeq, userEmail) as EntryRow[]
        found.push(...rows.map(entryOf))
      }
    }
  }
  return newestFirst(found).slice(0, limit)
}

export function readUserDays(database: Database, { tenantId, userEmail }: UserId) {
  const select = prepareReading(database, 'user_days', answerStatements.userDays)
  return select.all(tenantId, userEmail) as { day: number; points: number }[]
}
