import { join, resolve } from 'node:path'
import { longRun, type Report } from '../test/support/long-run.ts'
import { startPostgres, stopPostgres } from '../test/support/postgres-server.ts'
import { type Awarding, createAwarding } from './awarding.ts'
import { type BenchRun, startBenchRun } from './bench-run.ts'
import type { Child } from './child.ts'
import type { Deployment } from './deployment.ts'
import { median } from './median.ts'
import { readOptions } from './options.ts'
import { deploymentsOf, isCheckout } from './other-checkout.ts'
import { postgresUsageOf, threadUsageOf } from './process-usage.ts'

class WrongOption extends Error {}

const warmUpSeconds = 1

/**
 * npm run compare -- --old DIR: the award path of another checkout and of this one, side by side on this machine. Both
 * servers run on their own ledgers and get the same seeded load in turn, in the order ABBA, so that a machine that
 * slows down or speeds up affects both. Every round restarts both servers, because one start of the same code
 * can be 10 % faster than the next. The other checkout makes its own ledger: its layout may be another one.
 */
await longRun('compare', { old: '', rounds: 10, seconds: 3, store: 'sqlite' }, compare).catch(
  (error: Error) => {
    console.error(error instanceof WrongOption ? `compare: ${error.message}` : error)
    process.exitCode = 2
  },
)

type Options = { old: string; rounds: number; seconds: number; store: string; seed: number }
type SideName = 'old' | 'new'
type Load = 'hot' | 'spread'
/** Awards a second, and microseconds of CPU time for one award, by thread. */
type Figures = Record<string, number>
type Measured = Record<Load, Record<SideName, Figures[]>>

async function compare({ old, rounds, seconds, store, seed }: Options): Promise<Report> {
  if (!isCheckout(old)) {
    throw new WrongOption(
      `--old must name another checkout of this program; there is no bench/deployment.ts in "${old}"`,
    )
  }
  if (store !== 'sqlite' && store !== 'postgres') throw new WrongOption('--store must be sqlite or postgres')
  await using ends = new AsyncDisposableStack()
  if (store === 'postgres' && process.env.TEST_DATABASE_URL === undefined) {
    await startPostgres()
    ends.defer(stopPostgres)
  }
  const bench = await startBenchRun({ ...readOptions(['award', '--seed', String(seed)])!, seconds, rounds })
  ends.defer(() => bench.close())
  const sides = {
    old: await prepareSide(bench, 'old', resolve(old), store, ends),
    new: await prepareSide(bench, 'new', resolve(import.meta.dirname, '..'), store, ends),
  }
  const measured: Measured = { hot: { old: [], new: [] }, spread: { old: [], new: [] } }
  for (let round = 0; round < rounds; round++) {
    const order: SideName[] = round % 2 === 0 ? ['old', 'new'] : ['new', 'old']
    await using servers = new AsyncDisposableStack()
    for (const side of order) servers.defer(await sides[side].start())
    for (const load of ['hot', 'spread'] as const) {
      for (const side of order) await measure(sides[side], load, { seconds: warmUpSeconds, warmUp: true })
      for (const side of order) {
        measured[load][side].push(await measure(sides[side], load, { seconds, warmUp: false }))
      }
    }
  }
  return { figures: figuresOf(measured), violations: bench.violations }
}

type Side = {
  /** Of the current round. */
  server: Child
  databaseName: string
  /** Returns a function that ends the server. */
  start(): Promise<() => Promise<void>>
} & Record<Load, Awarding>

/** The server, and the code that makes its ledger, come from that checkout. */
async function prepareSide(
  bench: BenchRun,
  name: SideName,
  checkout: string,
  store: 'sqlite' | 'postgres',
  ends: AsyncDisposableStack,
): Promise<Side> {
  const theirs = await deploymentsOf(checkout)
  const folder = resolve(bench.folder, name)
  const deployment: Deployment =
    store === 'sqlite' ? await theirs.sqliteDeployment(folder) : await theirs.postgresDeployment()
  ends.defer(() => deployment.remove())
  const server = {} as Child // every start fills it in
  const awarding = (load: Load, partners: Deployment['partners']) =>
    createAwarding(bench, `${name}, ${load}`, { server, partners, onCredited: () => {} })
  return {
    server,
    databaseName: deployment.databaseUrl.split('/').at(-1)!,
    async start() {
      const started = await theirs.serveDeployment(deployment, join(folder, 'log'))
      Object.assign(server, started)
      return started.end
    },
    hot: awarding('hot', deployment.hot),
    spread: awarding('spread', deployment.partners),
  }
}

async function measure(side: Side, load: Load, how: { seconds: number; warmUp: boolean }): Promise<Figures> {
  await side[load].prepare(how.seconds)
  const usage = () => new Map([...threadUsageOf(side.server.pid), ...postgresUsageOf(side.databaseName)])
  const before = usage()
  const { perSecond, answered } = await side[load].fresh(how)
  const spent = [...usage()].map(([thread, { name, seconds }]) => ({
    name,
    us: ((seconds - (before.get(thread)?.seconds ?? 0)) * 1e6) / Math.max(1, answered),
  }))
  const sum = (threads: typeof spent) => threads.reduce((total, { us }) => total + us, 0)
  const named = (wanted: string) => spent.filter(({ name }) => name === wanted)
  const workers = spent.filter(({ name }) => name !== 'main' && name !== 'postgres')
  // The writer is the busiest worker under this load; reader and checkpointer are among the others.
  const [writer, ...others] = workers.sort((a, b) => b.us - a.us)
  return {
    'awards/s': perSecond,
    'CPU µs, main thread': sum(named('main')),
    'CPU µs, busiest other thread': writer?.us ?? 0,
    'CPU µs, all other threads': sum(others),
    'CPU µs, PostgreSQL': sum(named('postgres')),
    'CPU µs, together': sum(spent),
  }
}

/** Medians of both, and the ratio new ÷ old of each round: its median, lowest and highest. */
function figuresOf(measured: Measured): Report['figures'] {
  const figures: Report['figures'] = {}
  for (const [load, { old, new: fresh }] of Object.entries(measured)) {
    for (const figure of Object.keys(old[0] ?? {})) {
      if (old.every((round) => round[figure] === 0)) continue
      const ratios = old.map((round, index) => fresh[index]![figure]! / Math.max(1e-9, round[figure]!))
      const of = (rounds: Figures[]) => median(rounds.map((round) => round[figure]!)).toFixed(1)
      const [low, middle, high] = [Math.min(...ratios), median(ratios), Math.max(...ratios)]
      const ratio = `× ${middle.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`
      figures[`${load}: ${figure}`] = `${of(old)} → ${of(fresh)}, ${ratio}`
    }
  }
  return figures
}
