import { basename, resolve } from 'node:path'
import { longRun, type Report } from '../../test/support/long-run.ts'
import { startPostgres, stopPostgres } from '../../test/support/postgres-server.ts'
import { startBenchRun } from '../bench-run.ts'
import { readOptions } from '../options.ts'
import { isCheckout } from '../other-checkout.ts'
import { cpuOfVerify, cpuUnder } from './cpu-time.ts'
import { compared, type Figures, type Rounds, thisOne } from './figures.ts'
import { loads, prepareSide, type Side } from './side.ts'

class WrongOption extends Error {}

const here = resolve(import.meta.dirname, '..', '..')
const measurable: string[] = [...loads, 'verify']

/**
 * npm run compare -- --old DIR[,DIR]: awards, history pages and verify of other checkouts and of this one, side by side on
 * this machine. All servers run on ledgers of their own and get the same seeded load in turn, forwards in one round and
 * backwards in the next, so that a machine that slows down or speeds up does it to all of them. Within a round the turns are
 * short: a load is offered in `--slices` parts, and each part is compared with its neighbors. Every round starts the
 * servers again, because one start of the same code can be 10 % faster than the next. Before anything is measured, a server
 * gets `--warmup` seconds of each load: at first it mostly pays for compilation, once per start, and more of it where there
 * is more code. The other checkouts make their own ledgers: their layout may be another one.
 */
const defaults = {
  old: '',
  rounds: 10,
  seconds: 5,
  slices: 5,
  warmup: 5,
  store: 'sqlite',
  measure: measurable.join(','),
}

await longRun('compare', defaults, compare).catch((error: Error) => {
  console.error(error instanceof WrongOption ? `compare: ${error.message}` : error)
  process.exitCode = 2
})

async function compare(options: typeof defaults & { seed: number }): Promise<Report> {
  const { rounds, seconds, slices, warmup, store, seed } = options
  const chosen = options.measure.split(',')
  const others = options.old.split(',')
  const noCheckout = others.find((folder) => !isCheckout(folder))
  if (noCheckout !== undefined) {
    throw new WrongOption(
      `--old must name other checkouts of this program; there is no bench/deployment.ts in "${noCheckout}"`,
    )
  }
  if (store !== 'sqlite' && store !== 'postgres') throw new WrongOption('--store must be sqlite or postgres')
  if (chosen.some((name) => !measurable.includes(name))) {
    throw new WrongOption(`--measure must name some of ${measurable.join(',')}`)
  }
  await using ends = new AsyncDisposableStack()
  if (store === 'postgres' && process.env.TEST_DATABASE_URL === undefined) {
    await startPostgres()
    ends.defer(stopPostgres)
  }
  const bench = await startBenchRun({ ...readOptions(['award', '--seed', String(seed)])!, seconds, rounds })
  ends.defer(() => bench.close())
  const sides: Side[] = []
  for (const folder of others) {
    sides.push(await prepareSide(bench, basename(resolve(folder)), resolve(folder), store, ends))
  }
  sides.push(await prepareSide(bench, thisOne, here, store, ends))
  // Pages need awards to show.
  const offered = loads.filter((load) => load === 'hot' || chosen.includes(load))
  const measured = new Map<string, Rounds>(chosen.map((name) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? sides : sides.toReversed()
    await measureServers(order)
    if (!measured.has('verify')) continue
    const verified = new Map<string, Figures>()
    for (const side of order) verified.set(side.name, await cpuOfVerify(bench, side))
    measured.get('verify')!.push(verified)
  }
  return { figures: compared(measured), violations: bench.violations }

  async function measureServers(order: Side[]): Promise<void> {
    await using servers = new AsyncDisposableStack()
    for (const side of order) servers.defer(await side.start())
    for (const load of offered) {
      for (const side of order) await cpuUnder(side, load, { seconds: warmup, warmUp: true })
    }
    for (const load of offered.filter((load) => measured.has(load))) {
      for (let slice = 0; slice < slices; slice++) {
        const found = new Map<string, Figures>()
        for (const side of slice % 2 === 0 ? order : order.toReversed())
          found.set(side.name, await cpuUnder(side, load, { seconds: seconds / slices, warmUp: false }))
        measured.get(load)!.push(found)
      }
    }
    if (measured.has('verify')) await makeEquallyLong(order)
  }
}

/** A run of `verify` takes a quarter of a second before its first entry: fewer entries would make each one dearer. */
async function makeEquallyLong(sides: Side[]): Promise<void> {
  const most = Math.max(...sides.map((side) => side.entries()))
  for (const side of sides) if (side.entries() < most) await side.growTo(most)
}
