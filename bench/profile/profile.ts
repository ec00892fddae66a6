import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { table } from '../../src/cli/output.ts'
import { audit } from '../audit.ts'
import { createAwarding } from '../awarding.ts'
import { startBenchRun } from '../bench-run.ts'
import { serveDeployment, sqliteDeployment } from '../deployment.ts'
import { type BenchOptions, readOptions } from '../options.ts'
import { type CpuProfile, microsecondsByStage } from './read-profile.ts'
import { stages } from './stages.ts'

/**
 * `npm run profile`: where the time of one award goes. The service under V8's sampling profiler, on SQLite, with 64
 * connections to one hot account; time by the clock in each of its four threads, divided by the awards. It takes the
 * options --seconds and --seed of the benchmark.
 */
const usage = 'npm run profile -- [--seconds <n>] [--seed <n>]'
const options = optionsOrEnd(process.argv.slice(2))
const bench = await startBenchRun(options)
const folder = join(bench.folder, 'profile')
const deployment = await sqliteDeployment(join(bench.folder, 'deployment'))
deployment.environment.NODE_OPTIONS = `--cpu-prof --cpu-prof-dir=${folder}`
try {
  const server = await serveDeployment(deployment, join(bench.folder, 'log'))
  const onCredited = (count: number) => {
    deployment.acknowledged += count
  }
  const hot = createAwarding(bench, 'profiled', { server, partners: deployment.hot, onCredited })
  async function run(warmUp: boolean) {
    await hot.prepare(options.seconds)
    return hot.fresh({ seconds: options.seconds, warmUp })
  }
  await run(true)
  await run(true)
  const { answered, seconds, perSecond } = await run(false)
  const ranUntil = performance.now()
  await server.end()
  const to = (performance.now() - ranUntil) * 1000
  const faults = await audit(deployment)
  if (faults.length > 0) throw new Error(faults.join('; '))

  const threads = readdirSync(folder)
    .sort()
    .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as CpuProfile)
    .map((profile) => microsecondsByStage(profile, { from: to + seconds * 1e6, to }))
  const rows = stages.map((stage) => [
    stage,
    ...threads.map((spent) => ((spent.get(stage) ?? 0) / answered).toFixed(1)),
  ])
  console.log(
    table(['µs of one award, by the clock', 'main thread', 'writer', 'follower', 'checkpointer'], rows),
  )
  console.log(`\n${answered} awards, ${perSecond} a second under the profiler`)
} finally {
  await bench.close()
}

/** A usage error ends with 2, as in the benchmark. */
function optionsOrEnd(args: string[]): BenchOptions {
  try {
    const read = readOptions(['award', ...args])
    if (read !== null) return read
    console.log(usage)
    process.exit(0)
  } catch (error) {
    console.error(`profile: ${(error as Error).message}\n\n${usage}`)
    process.exit(2)
  }
}
