import type { LedgerQueries, SeqRange, UserId } from '../../answers/ledger-queries.ts'
import type { Entry } from '../../rules/entry.ts'
import { answerStatements } from '../answer-statements.ts'
import { pagesOf } from '../day-ranges.ts'
import { type EntryRow, entryOf, entrySelection } from '../entry-row.ts'
import { highestOf, newestFirst } from '../user-rows.ts'
import { readPages } from './account-days.ts'
import { type Pool, withClient } from './database.ts'
import { readStored } from './stored-values.ts'

const pageSize = 50_000

export async function readHighestUserDays(
  pool: Pool,
  ranges: SeqRange[],
  limit: number,
): ReturnType<LedgerQueries['highestUserDays']> {
  const pages = ranges.flatMap((range) => [...pagesOf(range, pageSize)])
  return highestOf(await readPages(pool, pages, answerStatements.highestUserDays, limit), limit)
}

/** By the index of the users' entries. */
export async function readUserEntries(
  pool: Pool,
  { tenantId, userEmail }: UserId,
  limit: number,
): Promise<Entry[]> {
  const sql = `
    SELECT ${entrySelection} FROM entries WHERE tenant_id = $1 AND user_email = $2
    ORDER BY awarded_at DESC LIMIT $3`
  const rows = await withClient(pool, (client) =>
    readStored<EntryRow>(client, sql, [tenantId, userEmail, limit]),
  )
  return newestFirst(rows.map(entryOf))
}
