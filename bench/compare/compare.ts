import { resolve } from 'node:path'
import { longRun, type Report } from '../../test/support/long-run.ts'
import { startPostgres, stopPostgres } from '../../test/support/postgres-server.ts'
import { startBenchRun } from '../bench-run.ts'
import { readOptions } from '../options.ts'
import { isCheckout } from '../other-checkout.ts'
import { cpuOfVerify, cpuUnder } from './cpu-time.ts'
import { compared, type Rounds, type SideName } from './figures.ts'
import { type Load, loads, prepareSide } from './side.ts'

class WrongOption extends Error {}

const here = resolve(import.meta.dirname, '..', '..')
const measurable = [...loads, 'verify']

/**
 * npm run compare -- --old DIR: awards, history pages and verify of another checkout and of this one, side by side on this
 * machine. Both servers run on ledgers of their own and get the same seeded load in turn, in the order ABBA, so that a
 * machine that slows down or speeds up does it to both. Every round starts both servers again, because one start of the same
 * code can be 10 % faster than the next. Before it is measured, a server gets `--warmup` seconds of the same load: at first
 * it mostly pays for compilation, once per start, and more of it where there is more code. The other checkout makes its own
 * ledger: its layout may be another one.
 */
const defaults = {
  old: '',
  rounds: 10,
  seconds: 3,
  warmup: 5,
  store: 'sqlite',
  measure: measurable.join(','),
}

await longRun('compare', defaults, compare).catch((error: Error) => {
  console.error(error instanceof WrongOption ? `compare: ${error.message}` : error)
  process.exitCode = 2
})

async function compare(options: Omit<typeof defaults, 'json'> & { seed: number }): Promise<Report> {
  const { old, rounds, seconds, warmup, store, seed } = options
  const chosen = options.measure.split(',')
  if (!isCheckout(old)) {
    throw new WrongOption(
      `--old must name another checkout of this program; there is no bench/deployment.ts in "${old}"`,
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
  const sides = {
    old: await prepareSide(bench, 'old', resolve(old), store, ends),
    new: await prepareSide(bench, 'new', here, store, ends),
  }
  const measured = new Map<string, Rounds>(chosen.map((name) => [name, { old: [], new: [] }]))
  for (let round = 0; round < rounds; round++) {
    const order: SideName[] = round % 2 === 0 ? ['old', 'new'] : ['new', 'old']
    await measureServers(order)
    const verified = measured.get('verify')
    if (verified !== undefined) {
      for (const side of order) verified[side].push(await cpuOfVerify(bench, sides[side]))
    }
  }
  return { figures: compared(measured), violations: bench.violations }

  async function measureServers(order: SideName[]): Promise<void> {
    await using servers = new AsyncDisposableStack()
    for (const side of order) servers.defer(await sides[side].start())
    for (const load of loads) {
      const found = measured.get(load)
      // Pages need awards to show.
      if (found === undefined && load !== 'hot') continue
      for (const side of order) await cpuUnder(sides[side], load as Load, { seconds: warmup, warmUp: true })
      for (const side of order) {
        found?.[side].push(await cpuUnder(sides[side], load as Load, { seconds, warmUp: false }))
      }
    }
  }
}
