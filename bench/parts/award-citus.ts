import { join } from 'node:path'
import { audit } from '../audit.ts'
import { type Awarding, createAwarding } from '../awarding.ts'
import type { BenchRun, Measured } from '../bench-run.ts'
import { citusDeployment, type Deployment, postgresDeployment, serveDeployment } from '../deployment.ts'
import { median, medianRatio } from '../median.ts'
import { nodeUsageOf, usagePerAward } from '../node-usage.ts'
import type { Figures } from '../report.ts'

/** More than can be in flight at half of the peak. */
const openLoopConnections = 256

/**
 * Round after round, on one coordinator of a Citus cluster: a plain database, then a distributed one; hot, then spread;
 * then arrivals at half of the distributed one's hot peak, on both.
 */
export async function awardOnCitus(bench: BenchRun, coordinator: string): Promise<Figures> {
  const { seconds, rounds } = bench.options
  await using ends = new AsyncDisposableStack()
  const plain = await serve('plain', await postgresDeployment(coordinator))
  const citus = await serve('Citus', await citusDeployment(coordinator))
  const contenders = {
    plainHot: plain.hot,
    citusHot: citus.hot,
    plainSpread: plain.spread,
    citusSpread: citus.spread,
  }
  type Name = keyof typeof contenders

  async function serve(name: string, deployment: Deployment) {
    ends.defer(() => deployment.remove())
    const server = await serveDeployment(deployment, join(bench.folder, `${name}.log`))
    ends.defer(() => server.end())
    const onCredited = (count: number) => {
      deployment.acknowledged += count
    }
    const awarding = (load: string, partners: Deployment['partners']): Awarding =>
      createAwarding(bench, `${name}, ${load}`, { server, partners, onCredited })
    return {
      name,
      databaseUrl: deployment.databaseUrl,
      deployment,
      server,
      hot: awarding('hot', deployment.hot),
      spread: awarding('spread', deployment.partners),
    }
  }

  const all: Record<Name, Measured>[] = []
  const tails: number[] = []
  for (let round = -1; round < rounds; round++) {
    const warmUp = round < 0
    const results: Partial<Record<Name, Measured>> = {}
    for (const [name, contender] of Object.entries(contenders)) {
      const { databaseUrl } = name.startsWith('citus') ? citus : plain
      await contender.prepare(seconds)
      const before = await nodeUsageOf(databaseUrl)
      const measured = await contender.fresh({ seconds, warmUp })
      const usage = usagePerAward(before, await nodeUsageOf(databaseUrl), measured.answered)
      bench.values[`${contender.shelf}, an award`] = usage
      results[name as Name] = measured
    }
    const perSecond = Math.round(results.citusHot!.perSecond / 2)
    for (const { name, hot, databaseUrl } of [plain, citus]) {
      await hot.prepare(seconds)
      const before = await nodeUsageOf(databaseUrl)
      const as = `${name}, half of the peak of Citus`
      const tail = await hot.fresh({ seconds, connections: openLoopConnections, perSecond, as, warmUp })
      bench.values[`${as}, an award`] = usagePerAward(before, await nodeUsageOf(databaseUrl), tail.answered)
      if (!warmUp && name === citus.name) tails.push(tail.p99Ms)
    }
    if (!warmUp) all.push(results as Record<Name, Measured>)
  }
  for (const { name, deployment, server } of [plain, citus]) {
    await server.end()
    bench.violations.push(...(await audit(deployment)).map((fault) => `${name}: ${fault}`))
  }
  const ratio = (above: Name, below: Name) =>
    medianRatio(
      all.map((run) => run[above]),
      all.map((run) => run[below]),
      ({ perSecond }) => perSecond,
    )
  return {
    citusHot: ratio('citusHot', 'plainHot'),
    citusSpread: ratio('citusSpread', 'plainSpread'),
    citusHalfPeak: median(tails),
  }
}
