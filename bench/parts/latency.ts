import { join } from 'node:path'
import { audit } from '../audit.ts'
import { createAwarding } from '../awarding.ts'
import type { BenchRun } from '../bench-run.ts'
import { awardAnswer, startCeiling } from '../ceiling.ts'
import { serveDeployment, sqliteDeployment } from '../deployment.ts'
import { median } from '../median.ts'
import type { Figures } from '../report.ts'
import { measureFsync } from '../yardsticks/fsync.ts'

/** More than can be in flight at half of the peak: if a request that is due finds none free, the service is behind. */
const openLoopConnections = 256

/** One award at a time beside one request to the bare route and one fsync; then arrivals at half of the peak. */
export async function latencyPart(bench: BenchRun): Promise<Figures> {
  const { seconds, rounds } = bench.options
  const folder = join(bench.folder, 'latency')
  const deployment = await sqliteDeployment(folder)
  await using ends = new AsyncDisposableStack()
  ends.defer(() => deployment.remove())
  const server = await serveDeployment(deployment, join(folder, 'log'))
  ends.defer(() => server.end())
  const ceiling = await startCeiling(awardAnswer)
  ends.defer(() => ceiling.end())
  const onCredited = (count: number) => {
    deployment.acknowledged += count
  }
  const hot = createAwarding(bench, 'SQLite, peak', { server, partners: deployment.hot, onCredited })

  const appends: number[] = []
  const overwrites: number[] = []
  const alone: number[] = []
  const tails: number[] = []
  for (let round = -1; round < rounds; round++) {
    const warmUp = round < 0
    await hot.prepare(seconds)
    const peak = await hot.fresh({ seconds, warmUp })
    const half = Math.round(peak.perSecond / 2)
    await hot.prepare(seconds)
    const open = {
      seconds,
      connections: openLoopConnections,
      perSecond: half,
      as: 'SQLite, half of peak',
      warmUp,
    }
    const tail = await hot.fresh(open)

    await hot.prepare(seconds)
    const bare = { expected: { kind: 'exactly', ...awardAnswer }, again: true, perSecond: null } as const
    const oneBare = { ...bare, shelf: hot.shelf, connections: 1, seconds }
    const floor = await bench.measure('bare route, one connection', ceiling, oneBare, { warmUp })
    const one = await hot.fresh({ seconds, connections: 1, as: 'SQLite, one connection', warmUp })
    const append = measureFsync(folder, 'append', Math.min(1, seconds))
    const overwrite = measureFsync(folder, 'overwrite', Math.min(1, seconds))
    if (warmUp) continue
    appends.push(append.p50Ms)
    overwrites.push(overwrite.p50Ms)
    // The cheaper of the two: SQLite's log is overwritten, too, once it has reached its full length.
    alone.push(one.p50Ms - floor.p50Ms - overwrite.p50Ms)
    tails.push(tail.p99Ms)
  }
  await server.end()
  bench.violations.push(...(await audit(deployment)).map((fault) => `latency: ${fault}`))
  bench.values['one fsync (4 KiB appended), p50 ms'] = median(appends)
  bench.values['one fsync (4 KiB written over), p50 ms'] = median(overwrites)
  return { latencyAlone: median(alone), latencyHalfPeak: median(tails) }
}
