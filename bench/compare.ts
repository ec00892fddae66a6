import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { longRun, type Report } from '../test/support/long-run.ts'
import { startPostgres, stopPostgres } from '../test/support/postgres-server.ts'
import { type Awarding, createAwarding } from './awarding.ts'
import { type BenchRun, startBenchRun } from './bench-run.ts'
import type { Child } from './child.ts'
import type { Deployment } from './deployment.ts'
import { median } from './median.ts'
import { readOptions } from './options.ts'
import { threadUsageOf } from './process-usage.ts'

class WrongOption extends Error {}

/**
 * npm run compare -- --old DIR: the award path of another checkout and of this one, side by side on this machine. Both
 * servers run on ledgers of their own and get the same seeded load in turn, in the order ABBA, so that a machine that
 * slows down or speeds up does it to both. The other checkout makes its own ledger: its layout may be another one.
 */
await longRun('compare', { old: '', rounds: 10, seconds: 3, store: 'sqlite' }, compare).catch(
  (error: Error) => {
    console.error(error instanceof WrongOption ? `compare: ${error.message}` : error)
    process.exitCode = 2
  },
)

type Options = { old: string; rounds: number; seconds: number; store: string; seed: number }
type Load = 'hot' | 'spread'
/** Awards a second, and microseconds of CPU time for one award, by thread. */
type Round = Record<string, number>

async function compare({ old, rounds, seconds, store, seed }: Options): Promise<Report> {
  if (deploymentFileOf(old) === undefined) {
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
    old: await startSide(bench, 'old', resolve(old), store, ends),
    new: await startSide(bench, 'new', resolve(import.meta.dirname, '..'), store, ends),
  }
  const measured: Record<Load, Record<'old' | 'new', Round[]>> = {
    hot: { old: [], new: [] },
    spread: { old: [], new: [] },
  }
  for (let round = -1; round < rounds; round++) {
    const order = round % 2 === 0 ? (['old', 'new'] as const) : (['new', 'old'] as const)
    for (const load of ['hot', 'spread'] as const) {
      for (const side of order) {
        const result = await measureRound(sides[side], load, { seconds, warmUp: round < 0 })
        if (round >= 0) measured[load][side].push(result)
      }
    }
  }
  return { figures: figuresOf(measured), violations: bench.violations }
}

type Side = { server: Child } & Record<Load, Awarding>

/** The server, and the code that makes its ledger, come from that checkout. */
async function startSide(
  bench: BenchRun,
  name: string,
  checkout: string,
  store: 'sqlite' | 'postgres',
  ends: AsyncDisposableStack,
): Promise<Side> {
  const theirs = await deploymentModuleOf(checkout)
  const folder = resolve(bench.folder, name)
  const deployment: Deployment =
    store === 'sqlite' ? await theirs.sqliteDeployment(folder) : await theirs.postgresDeployment()
  ends.defer(() => deployment.remove())
  const server = await theirs.serveDeployment(deployment, join(folder, 'log'))
  ends.defer(() => server.end())
  const awarding = (load: Load, partners: Deployment['partners']) =>
    createAwarding(bench, `${name}, ${load}`, { server, partners, onCredited: () => {} })
  return { server, hot: awarding('hot', deployment.hot), spread: awarding('spread', deployment.partners) }
}

type DeploymentModule = typeof import('./deployment.ts')

function deploymentFileOf(checkout: string): string | undefined {
  return ['deployment.ts', formerName].map((name) => join(checkout, 'bench', name)).find(existsSync)
}

/** Checkouts from before November 2026 have the same functions in house.ts, under other names. */
const formerName = 'house.ts'

async function deploymentModuleOf(checkout: string): Promise<DeploymentModule> {
  const found = await import(pathToFileURL(deploymentFileOf(checkout)!).href)
  if (found.sqliteHouse === undefined) return found
  return {
    ...found,
    sqliteDeployment: found.sqliteHouse,
    postgresDeployment: found.postgresHouse,
    serveDeployment: found.serveHouse,
  }
}

async function measureRound(
  side: Side,
  load: Load,
  how: { seconds: number; warmUp: boolean },
): Promise<Round> {
  await side[load].prepare(how.seconds)
  const before = threadUsageOf(side.server.pid)
  const { perSecond, answered } = await side[load].fresh(how)
  const spent = [...threadUsageOf(side.server.pid)].map(([thread, { name, seconds }]) => ({
    name,
    us: ((seconds - (before.get(thread)?.seconds ?? 0)) * 1e6) / Math.max(1, answered),
  }))
  const sum = (threads: typeof spent) => threads.reduce((total, { us }) => total + us, 0)
  const main = spent.filter(({ name }) => name === 'main')
  // The writer is the worker that works most under this load; reader and checkpointer are among the others.
  const [writer, ...others] = spent.filter(({ name }) => name !== 'main').sort((a, b) => b.us - a.us)
  return {
    'awards/s': perSecond,
    'CPU µs, main': sum(main),
    'CPU µs, busiest other thread': writer?.us ?? 0,
    'CPU µs, all other threads': sum(others),
    'CPU µs, together': sum(spent),
  }
}

/** Medians of both, and the ratio new ÷ old of each round: its median, lowest and highest. */
function figuresOf(measured: Record<Load, Record<'old' | 'new', Round[]>>): Report['figures'] {
  const figures: Report['figures'] = {}
  for (const [load, { old, new: fresh }] of Object.entries(measured)) {
    for (const figure of Object.keys(old[0] ?? {})) {
      const ratios = old.map((round, index) => fresh[index]![figure]! / Math.max(1e-9, round[figure]!))
      const of = (rounds: Round[]) => median(rounds.map((round) => round[figure]!)).toFixed(1)
      const [low, middle, high] = [Math.min(...ratios), median(ratios), Math.max(...ratios)]
      const ratio = `× ${middle.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`
      figures[`${load}: ${figure}`] = `${of(old)} → ${of(fresh)}, ${ratio}`
    }
  }
  return figures
}
