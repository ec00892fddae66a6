import type { LedgerQueries, SeqRange } from '../../answers/ledger-queries.ts'
import { answerStatements } from '../answer-statements.ts'
import { pagesOf } from '../day-ranges.ts'
import { highestOf } from '../user-rows.ts'
import { readPages } from './account-days.ts'
import type { Pool } from './database.ts'

const pageSize = 50_000

export async function readHighestUserDays(
  pool: Pool,
  ranges: SeqRange[],
  limit: number,
): ReturnType<LedgerQueries['highestUserDays']> {
  const pages = ranges.flatMap((range) => [...pagesOf(range, pageSize)])
  return highestOf(await readPages(pool, pages, answerStatements.highestUserDays, limit), limit)
}
