import { randomBytes, randomUUIDv7 } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '../src/config.ts'
import { seedDefaultCaps } from '../src/partners/seed-default-caps.ts'
import { openSnapshot, openStore } from '../src/stores/open.ts'
import { prepareCommit } from '../src/stores/sqlite/commit.ts'
import { openDatabase } from '../src/stores/sqlite/database.ts'
import { progressBar } from '../src/cli/progress.ts'
import type { BenchRun } from './bench-run.ts'
import { type House, houseOf, sqliteHouse } from './house.ts'
import { createOrders } from './load/orders.ts'

export type GrownLedger = House & {
  path: string
  /** All of them, and those of the hot account. */
  entries: number
  hotEntries: number
}

const batch = 20_000
const days = 30
const dayMs = 86_400_000
/** Two of five awards are the hot account's. */
const hotOf = { every: 5, first: 2 }

const grown = new WeakMap<BenchRun, Promise<GrownLedger>>()

/** One for all parts of a run. With --ledger it stays, and the next run finds it. */
export function grownLedger(bench: BenchRun): Promise<GrownLedger> {
  const known = grown.get(bench) ?? openOrGrow(bench)
  grown.set(bench, known)
  return known
}

async function openOrGrow(bench: BenchRun): Promise<GrownLedger> {
  const { ledger, entries: wanted } = bench.options
  const folder = ledger ?? join(bench.folder, 'grown')
  const path = join(folder, 'ledger.db')
  const house = existsSync(join(folder, 'house.json')) ? reopened(folder) : await founded(folder)
  const have = await counted(house)
  if (have.entries < wanted) grow(bench, house, path, wanted - have.entries, have.entries)
  return { ...house, path, ...(await counted(house)) }
}

async function founded(folder: string): Promise<House> {
  mkdirSync(folder, { recursive: true })
  const house = await sqliteHouse(folder)
  // As its first server would do.
  const { database, caps } = readConfig(house.environment)
  const store = await openStore(database)
  await seedDefaultCaps({ store: store.partners, actor: 'bench', now: Date.now() }, caps)
  await store.close()
  writeFileSync(join(folder, 'house.json'), JSON.stringify(house), { mode: 0o600 })
  return house
}

function reopened(folder: string): House {
  const { databaseUrl, environment, partners } = JSON.parse(readFileSync(join(folder, 'house.json'), 'utf8'))
  return houseOf(databaseUrl, environment, partners, async () => rmSync(folder, { recursive: true }))
}

/** By the heads of the accounts: `verify` proves that they tell the truth. */
async function counted({ environment, hot }: House): Promise<{ entries: number; hotEntries: number }> {
  const snapshot = await openSnapshot(readConfig(environment).database)
  let entries = 0
  let hotEntries = 0
  for await (const accounts of snapshot.accounts()) {
    for (const { partnerId, tenantId, seq } of accounts) {
      entries += seq
      if (partnerId === hot[0]!.partnerId && tenantId === hot[0]!.tenants[0]) hotEntries = seq
    }
  }
  await snapshot.close()
  return { entries, hotEntries }
}

/**
 * The last 30 days of a busy service: decided and written by the very code of the server's writer, only in larger
 * batches and without HTTP.
 */
function grow(bench: BenchRun, house: House, path: string, count: number, have: number): void {
  const database = openDatabase(path)
  const commit = prepareCommit(database)
  const orders = `grown-${have}`
  const hotAt = createOrders(`${orders}-hot`, house.hot, bench.options.seed)
  const spreadAt = createOrders(`${orders}-spread`, house.partners, bench.options.seed + 1)
  let hotDone = 0
  let spreadDone = 0
  const commandAt = (index: number) => {
    const isHot = index % hotOf.every < hotOf.first
    const { partner, meta, ...award } = isHot ? hotAt(hotDone++) : spreadAt(spreadDone++)
    return {
      ...award,
      partnerId: partner.partnerId,
      meta: JSON.stringify(meta),
      epTransactionId: randomUUIDv7(),
      salt: randomBytes(16),
    }
  }
  const bar = progressBar('growing the ledger')
  const startedAt = performance.now()
  const endTime = Date.now()
  for (let done = 0; done < count; ) {
    const size = Math.min(batch, count - done)
    const first = done
    const now = Math.floor(endTime - days * dayMs * (1 - done / count))
    const outcomes = commit(
      Array.from({ length: size }, (_, offset) => commandAt(first + offset)),
      now,
    )
    const refused = outcomes.find(({ kind }) => kind !== 'credited')
    if (refused !== undefined) throw new Error(`the ledger does not grow: ${JSON.stringify(refused)}`)
    done += size
    bar.show(done / count)
  }
  bar.end()
  database.close()
  const seconds = (performance.now() - startedAt) / 1000
  bench.note(
    `the ledger grew by ${count} entries in ${Math.round(seconds)} s, ${Math.round(count / seconds)}/s`,
  )
  bench.values['entries grown a second, without HTTP'] = Math.round(count / seconds)
}
