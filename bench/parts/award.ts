import type { BenchRun } from '../bench-run.ts'
import type { Figures } from '../report.ts'
import { awardOnPostgres } from './award-postgres.ts'
import { awardOnSqlite } from './award-sqlite.ts'

/** How many awards a second, on both stores, beside their yardsticks. */
export async function awardPart(bench: BenchRun): Promise<Figures> {
  return { ...(await awardOnSqlite(bench)), ...(await awardOnPostgres(bench)) }
}
