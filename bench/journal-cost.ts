import { join } from 'node:path'
import { longRun, type Report } from '../test/support/long-run.ts'
import { createAwarding } from './awarding.ts'
import { startBenchRun } from './bench-run.ts'
import { sqliteDeployment } from './deployment.ts'
import { journalCallsUs } from './journal-calls.ts'
import { readOptions } from './options.ts'
import { startSwitched } from './switched-journal.ts'

/**
 * npm run journal-cost: how much CPU time of the main thread the journal takes for one award. A server in this process
 * gets awards without a pause, and its journal is switched on and off every few milliseconds, each part compared with the
 * next one. `npm run compare` compares two servers, but a shared machine changes its speed by a third from second to second,
 * and that is many times what the journal costs.
 *
 * The server collects what the journal is told with either switch; the calls in a loop include that. Writing is measured
 * by itself, because it comes once in 800 ms. Not in here: the follower's thread, which takes its part of the two cores.
 */
const defaults = { seconds: 120, warmup: 10 }
/** So that the generator need not sign everything at once. */
const sliceSeconds = 5

await longRun('journal-cost', defaults, journalCost)

async function journalCost({ seconds, warmup, seed }: typeof defaults & { seed: number }): Promise<Report> {
  await using ends = new AsyncDisposableStack()
  const bench = await startBenchRun({ ...readOptions(['award', '--seed', String(seed)])!, seconds })
  ends.defer(() => bench.close())
  const deployment = await sqliteDeployment(join(bench.folder, 'ledger'))
  ends.defer(() => deployment.remove())
  const server = await startSwitched(deployment, bench, ends)

  const figures: Report['figures'] = {}
  for (const [load, partners] of [
    ['hot', deployment.hot],
    ['spread', deployment.partners],
  ] as const) {
    const awarding = createAwarding(bench, load, { server: server.child, partners, onCredited: () => {} })
    await awarding.prepare(warmup)
    await awarding.fresh({ seconds: warmup, warmUp: true })
    for (const turn of Array.from({ length: Math.ceil(seconds / sliceSeconds) }).keys()) {
      await awarding.prepare(sliceSeconds)
      await server.measured(() => awarding.fresh({ seconds: sliceSeconds, as: `${load} ${turn}` }))
    }
    Object.assign(figures, server.figures(load))
  }
  for (const [accounts, name] of [
    [1, 'one account'],
    [1_000, '1,000 accounts'],
  ] as const)
    figures[`the calls in a loop, ${name}, µs`] = journalCallsUs(accounts).toFixed(2)
  return { figures, violations: bench.violations }
}
