import { join } from 'node:path'
import type { BenchRun } from '../bench-run.ts'
import { grownLedger } from '../grown-ledger.ts'
import { type Deployment, serveDeployment, sqliteDeployment } from '../deployment.ts'
import { median } from '../median.ts'
import type { Figures } from '../report.ts'

const startsUsual = 7
const startsQuick = 2

/** From spawn to the first 200 of /readyz, on the grown ledger and on an empty one in turn; the page cache is warm. */
export async function startPart(bench: BenchRun): Promise<Figures> {
  const grown = await grownLedger(bench)
  const empty = await sqliteDeployment(join(bench.folder, 'start'))
  const seconds: [number[], number[]] = [[], []]
  const starts = bench.options.quick ? startsQuick : startsUsual
  for (let turn = -1; turn < starts; turn++) {
    const [onGrown, onEmpty] = [await secondsToReady(bench, grown), await secondsToReady(bench, empty)]
    if (turn < 0) continue // the first ones read programs and files from the disk
    seconds[0].push(onGrown)
    seconds[1].push(onEmpty)
  }
  await empty.remove()
  const [onGrown, onEmpty] = seconds.map(median) as [number, number]
  bench.note(
    `start: ${onGrown.toFixed(3)} s with ${grown.entries} entries, ${onEmpty.toFixed(3)} s with none`,
  )
  bench.values['time to ready on an empty ledger, s'] = onEmpty.toFixed(3)
  return { start: onGrown }
}

async function secondsToReady(bench: BenchRun, deployment: Deployment): Promise<number> {
  const startedAt = performance.now()
  const server = await serveDeployment(deployment, join(bench.folder, 'start.log'))
  const { status } = await fetch(`${server.url}/readyz`)
  const seconds = Math.round(performance.now() - startedAt) / 1000
  if (status !== 200) bench.violations.push(`start: /readyz answered ${status}`)
  await server.end()
  return seconds
}
