import type { BenchRun } from '../bench-run.ts'
import type { Figures } from '../report.ts'
import { awardOnCitus } from './award-citus.ts'
import { awardOnPostgres } from './award-postgres.ts'
import { awardOnSqlite } from './award-sqlite.ts'

/** How many awards a second, on both stores, beside their yardsticks; or on a Citus cluster, beside a plain database. */
export async function awardPart(bench: BenchRun): Promise<Figures> {
  const { postgres } = bench.options
  if (postgres !== null) return awardOnCitus(bench, postgres)
  return { ...(await awardOnSqlite(bench)), ...(await awardOnPostgres(bench)) }
}
