import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { audit } from '../audit.ts'
import { createAwarding } from '../awarding.ts'
import type { BenchRun } from '../bench-run.ts'
import { serveDeployment, sqliteDeployment } from '../deployment.ts'
import { memoryOf } from '../process-usage.ts'
import type { Figures } from '../report.ts'

const firstLook = 100_000
const settleMs = 5_000
const settleQuickMs = 500
/** Signed and sent at a time: well within the window of X-Timestamp. */
const slice = 50_000

/** One server, driven over HTTP all the way: its memory after the first 100,000 awards and after all of them. */
export async function memoryPart(bench: BenchRun): Promise<Figures> {
  const { entries, quick } = bench.options
  const folder = join(bench.folder, 'memory')
  const deployment = await sqliteDeployment(folder)
  await using ends = new AsyncDisposableStack()
  ends.defer(() => deployment.remove())
  const server = await serveDeployment(deployment, join(folder, 'log'))
  ends.defer(() => server.end())
  const onCredited = (count: number) => {
    deployment.acknowledged += count
  }
  const spread = createAwarding(bench, 'memory, spread', {
    server,
    partners: deployment.partners,
    onCredited,
  })

  async function driveTo(count: number): Promise<{ now: number; peak: number }> {
    while (deployment.acknowledged < count) {
      await spread.prepareExactly(Math.min(slice, count - deployment.acknowledged))
      const { wrong } = await spread.fresh({ seconds: 240 })
      if (wrong > 0) throw new Error(`memory: ${wrong} answers were wrong: ${bench.violations.at(-2)}`)
    }
    await sleep(quick ? settleQuickMs : settleMs)
    const memory = memoryOf(server.pid)
    bench.note(
      `memory: ${megabytes(memory.now)} MB after ${count} awards, at most ${megabytes(memory.peak)} MB`,
    )
    bench.values[`memory after ${count.toLocaleString('en')} awards, MB`] =
      `${megabytes(memory.now)}, at most ${megabytes(memory.peak)}`
    return memory
  }

  const early = await driveTo(Math.min(firstLook, Math.floor(entries / 2)))
  const late = await driveTo(entries)
  await server.end()
  bench.violations.push(...(await audit(deployment)).map((fault) => `memory: ${fault}`))
  return { memory: late.now / early.now }
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1_000_000)
}
