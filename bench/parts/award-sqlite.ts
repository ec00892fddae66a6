import { join } from 'node:path'
import { audit } from '../audit.ts'
import { createAwarding, usualConnections } from '../awarding.ts'
import type { BenchRun, Measured } from '../bench-run.ts'
import { awardAnswer, startCeiling } from '../ceiling.ts'
import { serveDeployment, sqliteDeployment } from '../deployment.ts'
import { median, medianRatio } from '../median.ts'
import type { Figures } from '../report.ts'
import { measureFsync } from '../yardsticks/fsync.ts'

/** Round after round: the bare route with the same requests, one hot account, its replays, 1,000 accounts. */
export async function awardOnSqlite(bench: BenchRun): Promise<Figures> {
  const { seconds, rounds } = bench.options
  const folder = join(bench.folder, 'award')
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
  const hot = createAwarding(bench, 'SQLite, hot', { server, partners: deployment.hot, onCredited })
  const spread = createAwarding(bench, 'SQLite, spread', {
    server,
    partners: deployment.partners,
    onCredited,
  })
  const bare = { expected: { kind: 'exactly', ...awardAnswer }, again: true, perSecond: null } as const

  async function round(seconds: number, warmUp: boolean) {
    await hot.prepare(seconds)
    await spread.prepare(seconds)
    const plan = { ...bare, shelf: hot.shelf, connections: usualConnections, seconds }
    return {
      ceiling: await bench.measure('bare route', ceiling, plan, { warmUp }),
      hot: await hot.fresh({ seconds, warmUp }),
      replays: await hot.replays({ seconds, warmUp }),
      spread: await spread.fresh({ seconds, warmUp }),
    }
  }

  await round(seconds, true)
  const all: Record<'ceiling' | 'hot' | 'replays' | 'spread', Measured>[] = []
  const fsyncs: number[] = []
  for (let turn = 0; turn < rounds; turn++) {
    all.push(await round(seconds, false))
    fsyncs.push(measureFsync(folder, 'append', Math.min(1, seconds)).perSecond)
  }
  bench.values['fsyncs a second (4 KiB appended)'] = median(fsyncs)
  await server.end()
  bench.violations.push(...(await audit(deployment)).map((fault) => `SQLite: ${fault}`))
  const ratio = (above: keyof (typeof all)[0], below: keyof (typeof all)[0]) =>
    medianRatio(
      all.map((run) => run[above]),
      all.map((run) => run[below]),
      ({ perSecond }) => perSecond,
    )
  return {
    awardOverCeiling: ratio('hot', 'ceiling'),
    spreadOverHot: ratio('spread', 'hot'),
    replayOverFresh: ratio('replays', 'hot'),
  }
}
