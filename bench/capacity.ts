import { randomBytes, randomUUIDv7 } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { systemClock } from '../src/clock.ts'
import { table } from '../src/cli/output.ts'
import { progressBar } from '../src/cli/progress.ts'
import { verifyLedger } from '../src/proof/verify.ts'
import { createPartner } from '../src/partners/create-partner.ts'
import type { AwardCommand } from '../src/rules/entry.ts'
import { type DatabaseLocation, migrateStore, openSnapshot, serveStore } from '../src/stores/open.ts'
import { startPostgres, stopPostgres } from '../test/support/postgres-server.ts'

/**
 * The capacity of a ledger, without HTTP: awards per second through group commit into one hot account and spread over
 * many, on both stores in one run, and the bytes that an award leaves on disk. For the capacity model of
 * docs/operator/scaling.md.
 */
const { values } = parseArgs({
  options: { awards: { type: 'string', default: '50000' }, json: { type: 'boolean', default: false } },
})
const awards = Number(values.awards)
const waitingMax = 1_000
const partners = Array.from({ length: 50 }, (_, index) => `partner-${index}`)
const tenants = Array.from({ length: 10 }, (_, index) => `tenant-${index}`)
const caps = { perTx: 1e9, perPartnerDay: 1e12, perUserDay: 1e12 }

type Figures = {
  store: string
  hotPerSecond: number
  spreadPerSecond: number
  bytesPerAward: number
  verifyPerSecond: number
}

const folder = mkdtempSync(join(tmpdir(), 'partner-credit-capacity-'))
await startPostgres()
try {
  const sqlitePath = join(folder, 'ledger.db')
  const postgresUrl = process.env.TEST_DATABASE_URL!
  const figures = [
    await measure('SQLite', { kind: 'sqlite', path: sqlitePath }, () => sqliteBytes(sqlitePath)),
    await measure('PostgreSQL', { kind: 'postgres', url: postgresUrl }, () => postgresBytes(postgresUrl)),
  ]
  console.log(values.json ? JSON.stringify(figures) : figuresTable(figures))
} finally {
  await stopPostgres()
  rmSync(folder, { recursive: true })
}

async function measure(
  store: string,
  database: DatabaseLocation,
  bytes: () => Promise<number>,
): Promise<Figures> {
  await migrateStore(database)
  const opened = await serveStore(database, { caps, clock: systemClock, warn: () => {} })
  for (const partnerId of partners) {
    const partner = { partnerId, name: partnerId, tenants, perTx: null, perPartnerDay: null }
    await createPartner({ store: opened.partners, actor: 'bench', now: 0 }, partner, Buffer.alloc(32))
  }
  const { ledger } = opened
  const run = async (
    label: string,
    partnerOf: (order: number) => string,
    tenantOf: (order: number) => string,
  ) => {
    const bar = progressBar(`${store}, ${label}`)
    const started = systemClock.elapsed()
    let next = 0
    const client = async () => {
      while (next < awards) {
        const order = next++
        const outcome = await ledger.award(
          anAward(`${label}-${order}`, partnerOf(order), tenantOf(order), order),
        )
        if (outcome.kind !== 'credited') throw new Error(`not credited: ${JSON.stringify(outcome)}`)
        bar.show(order / awards)
      }
    }
    await Promise.all(Array.from({ length: waitingMax }, client))
    bar.end()
    return Math.round(awards / ((systemClock.elapsed() - started) / 1000))
  }
  const hotPerSecond = await run(
    'one hot account',
    () => partners[0]!,
    () => tenants[0]!,
  )
  const spreadPerSecond = await run(
    'spread over 500 accounts',
    (order) => partners[order % partners.length]!,
    (order) => tenants[Math.floor(order / partners.length) % tenants.length]!,
  )
  await ledger.close()
  await opened.close()

  const snapshot = await openSnapshot(database)
  const started = systemClock.elapsed()
  const { sound, entries, fault } = await verifyLedger(snapshot, () => {})
  const seconds = (systemClock.elapsed() - started) / 1000
  await snapshot.close()
  if (!sound || entries !== 2 * awards) throw new Error(`not sound: ${fault}`)
  return {
    store,
    hotPerSecond,
    spreadPerSecond,
    bytesPerAward: Math.round((await bytes()) / entries),
    verifyPerSecond: Math.round(entries / seconds),
  }
}

/** As a partner sends them: a short note, a little meta, each user a few times a day. */
function anAward(orderId: string, partnerId: string, tenantId: string, order: number): AwardCommand {
  return {
    partnerId,
    tenantId,
    orderId,
    userEmail: `user${order % 20_000}@example.com`,
    amount: 150_000,
    note: 'Thank you for your order',
    meta: '{"shop":"hanoi-3","items":[{"sku":"A-1001","qty":2}]}',
    epTransactionId: randomUUIDv7(),
    salt: randomBytes(16),
  }
}

async function sqliteBytes(path: string): Promise<number> {
  const { Database } = await import('../src/stores/sqlite/database.ts')
  const database = new Database(path, { readOnly: true })
  const { bytes } = database
    .prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size')
    .get() as { bytes: number }
  database.close()
  return bytes
}

async function postgresBytes(url: string): Promise<number> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query(`
    SELECT sum(pg_total_relation_size(oid))::float8 AS bytes FROM pg_class
    WHERE relname IN ('entries', 'accounts', 'user_days')`)
  await client.end()
  return rows[0].bytes
}

function figuresTable(figures: Figures[]): string {
  return table(
    ['store', 'hot account, awards/s', '500 accounts, awards/s', 'bytes per award', 'verify, entries/s'],
    figures.map((row) => [
      row.store,
      row.hotPerSecond,
      row.spreadPerSecond,
      row.bytesPerAward,
      row.verifyPerSecond,
    ]),
  )
}
