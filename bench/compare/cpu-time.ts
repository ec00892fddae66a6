import type { BenchRun } from '../bench-run.ts'
import { postgresUsageOf, threadUsageOf } from '../process-usage.ts'
import { runVerify } from '../verify-run.ts'
import type { Figures } from './figures.ts'
import type { Load, Side } from './side.ts'

/** What a server did each second under a load, and the CPU time of each of its threads for one response. */
export async function cpuUnder(
  side: Side,
  load: Load,
  how: { seconds: number; warmUp: boolean },
): Promise<Figures> {
  await side[load].prepare(how.seconds)
  const databaseName = side.deployment.databaseUrl.split('/').at(-1)!
  const usage = () => new Map([...threadUsageOf(side.server.pid), ...postgresUsageOf(databaseName)])
  const before = usage()
  const { perSecond, answered } = await side[load].run(how)
  const spent = [...usage()].map(([thread, { name, seconds }]) => ({
    name,
    us: ((seconds - (before.get(thread)?.seconds ?? 0)) * 1e6) / Math.max(1, answered),
  }))
  const sum = (threads: typeof spent) => threads.reduce((total, { us }) => total + us, 0)
  const named = (wanted: string) => spent.filter(({ name }) => name === wanted)
  const workers = spent.filter(({ name }) => name !== 'main' && name !== 'postgres')
  // Of awards it is the writer that works most, of pages the reader.
  const [busiest, ...others] = workers.sort((a, b) => b.us - a.us)
  return {
    'responses/s': perSecond,
    'CPU µs, main thread': sum(named('main')),
    'CPU µs, busiest other thread': busiest?.us ?? 0,
    'CPU µs, all other threads': sum(others),
    'CPU µs, PostgreSQL': sum(named('postgres')),
    'CPU µs, together': sum(spent),
  }
}

/** `verify` of what the rounds so far have written; its threads together. */
export async function cpuOfVerify(bench: BenchRun, { name, checkout, deployment }: Side): Promise<Figures> {
  const { sound, entries, fault, cpuSeconds } = await runVerify(checkout, deployment.environment)
  if (!sound) bench.violations.push(`${name}, verify: ${fault}`)
  bench.note(`${name}, verify: ${entries} entries, ${cpuSeconds.toFixed(1)} s of CPU time`)
  return { 'CPU µs an entry': (cpuSeconds * 1e6) / Math.max(1, entries) }
}
