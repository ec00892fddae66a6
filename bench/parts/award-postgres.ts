import { join } from 'node:path'
import { runSql, unmigratedPostgres } from '../../test/support/fresh-database.ts'
import { startPostgres, stopPostgres } from '../../test/support/postgres-server.ts'
import { audit } from '../audit.ts'
import { createAwarding } from '../awarding.ts'
import type { BenchRun, Measured } from '../bench-run.ts'
import { startYardstick } from '../child.ts'
import { postgresDeployment, serveDeployment } from '../deployment.ts'
import { medianRatio } from '../median.ts'
import type { Figures } from '../report.ts'
import type { OneTransactionPlan } from '../yardsticks/one-transaction.ts'

const poolSize = 20

/** Round after round, on one PostgreSQL: one transaction per award, then the service; hot, then spread. */
export async function awardOnPostgres(bench: BenchRun): Promise<Figures> {
  const { seconds, rounds } = bench.options
  bench.note('PostgreSQL starts')
  await startPostgres()
  await using ends = new AsyncDisposableStack()
  ends.defer(stopPostgres)
  const deployment = await postgresDeployment()
  ends.defer(() => deployment.remove())
  const plain = await unmigratedPostgres()
  ends.defer(() => plain.remove())
  const server = await serveDeployment(deployment, join(bench.folder, 'postgres.log'))
  ends.defer(() => server.end())
  const { partners } = deployment
  const plan: OneTransactionPlan = { databaseUrl: plain.url, partners, poolSize }
  const yardstick = await startYardstick('one-transaction', plan)
  ends.defer(() => yardstick.end())

  let plainAcknowledged = 0
  const ours = {
    server,
    onCredited: (count: number) => {
      deployment.acknowledged += count
    },
  }
  const theirs = {
    server: yardstick,
    onCredited: (count: number) => {
      plainAcknowledged += count
    },
  }
  const contenders = {
    plainHot: createAwarding(bench, 'one transaction each, hot', { ...theirs, partners: deployment.hot }),
    hot: createAwarding(bench, 'PostgreSQL, hot', { ...ours, partners: deployment.hot }),
    plainSpread: createAwarding(bench, 'one transaction each, spread', { ...theirs, partners }),
    spread: createAwarding(bench, 'PostgreSQL, spread', { ...ours, partners }),
  }
  type Name = keyof typeof contenders

  async function round(seconds: number, warmUp: boolean): Promise<Record<Name, Measured>> {
    const results: Partial<Record<Name, Measured>> = {}
    for (const [name, contender] of Object.entries(contenders)) {
      await contender.prepare(seconds)
      results[name as Name] = await contender.fresh({ seconds, warmUp })
    }
    return results as Record<Name, Measured>
  }

  await round(seconds, true)
  const all: Record<Name, Measured>[] = []
  for (let turn = 0; turn < rounds; turn++) all.push(await round(seconds, false))
  await server.end()
  bench.violations.push(...(await audit(deployment)).map((fault) => `PostgreSQL: ${fault}`))
  const [{ count }] = (await runSql(plain.url, 'SELECT count(*)::float8 AS count FROM awards')) as [
    { count: number },
  ]
  if (count !== plainAcknowledged)
    bench.violations.push(
      `one transaction each: ${count} awards where ${plainAcknowledged} were acknowledged`,
    )
  const ratio = (above: Name, below: Name) =>
    medianRatio(
      all.map((run) => run[above]),
      all.map((run) => run[below]),
      ({ perSecond }) => perSecond,
    )
  return { postgresHot: ratio('hot', 'plainHot'), postgresSpread: ratio('spread', 'plainSpread') }
}
