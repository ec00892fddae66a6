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
import { type Deployment, deploymentOf, sqliteDeployment } from './deployment.ts'
import { createOrders } from './load/orders.ts'

type GrownLedger = Deployment & {
  path: string
  /** The number of all entries, and of those of the hot account. */
  entries: number
  hotEntries: number
}

const batch = 20_000
const days = 30
const dayMs = 86_400_000
/** Two of five awards belong to the hot account. */
const hotOf = { every: 5, first: 2 }

const grown = new WeakMap<BenchRun, Promise<GrownLedger>>()

/** One for all parts of a run. With --ledger it is kept for the next run. */
export function grownLedger(bench: BenchRun): Promise<GrownLedger> {
  const known = grown.get(bench) ?? openOrGrow(bench, bench.options.ledger ?? join(bench.folder, 'grown'))
  grown.set(bench, known)
  return known
}

/** One with more partners, which stays in a folder below that of the other. */
export function grownLedgerOf(bench: BenchRun, partners: number): Promise<GrownLedger> {
  const name = `${partners}-partners`
  return openOrGrow(bench, join(bench.options.ledger ?? bench.folder, name), partners)
}

async function openOrGrow(bench: BenchRun, folder: string, partners?: number): Promise<GrownLedger> {
  const { entries: wanted } = bench.options
  const path = join(folder, 'ledger.db')
  const isThere = existsSync(join(folder, 'deployment.json'))
  const deployment = isThere ? reopened(folder) : await founded(folder, partners)
  const have = await counted(deployment)
  if (have.entries < wanted) grow(bench, deployment, path, wanted - have.entries, have.entries)
  return { ...deployment, path, ...(await counted(deployment)) }
}

async function founded(folder: string, partners: number | undefined): Promise<Deployment> {
  mkdirSync(folder, { recursive: true })
  const deployment = await sqliteDeployment(folder, partners)
  // As its first server would do.
  const { database, caps } = readConfig(deployment.environment)
  const store = await openStore(database)
  await seedDefaultCaps({ store: store.partners, actor: 'bench', now: Date.now() }, caps)
  await store.close()
  writeFileSync(join(folder, 'deployment.json'), JSON.stringify(deployment), { mode: 0o600 })
  return deployment
}

function reopened(folder: string): Deployment {
  const { databaseUrl, environment, partners } = JSON.parse(
    readFileSync(join(folder, 'deployment.json'), 'utf8'),
  )
  return deploymentOf(databaseUrl, environment, partners, async () => rmSync(folder, { recursive: true }))
}

/** By the heads of the accounts, which `verify` proves. */
async function counted({ environment, hot }: Deployment): Promise<{ entries: number; hotEntries: number }> {
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
 * The last 30 days of a busy service: decided and written by the code of the server's writer, but in larger
 * batches and without HTTP.
 */
function grow(bench: BenchRun, deployment: Deployment, path: string, count: number, have: number): void {
  const database = openDatabase(path)
  const commit = prepareCommit(database)
  const orders = `grown-${have}`
  const hotAt = createOrders(`${orders}-hot`, deployment.hot, bench.options.seed)
  const spreadAt = createOrders(`${orders}-spread`, deployment.partners, bench.options.seed + 1)
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
    // As the server's checkpointer does. Every page is looked for in the log first, and one of gigabytes takes long.
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
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
