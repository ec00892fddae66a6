import { randomUUID } from 'node:crypto'
import { find } from '../../src/answers/find.ts'
import type { LedgerQueries } from '../../src/answers/ledger-queries.ts'
import { readConfig } from '../../src/config.ts'
import type { Entry } from '../../src/rules/entry.ts'
import { type DatabaseLocation, migrateStore, openJournal, openQueries } from '../../src/stores/open.ts'
import { unmigratedPostgres } from '../../test/support/fresh-database.ts'
import { startPostgres, stopPostgres } from '../../test/support/postgres-server.ts'
import { integerBelow, oneOf, type Random, randomFrom } from '../../test/support/seeded-random.ts'
import type { BenchRun } from '../bench-run.ts'
import { copyLedger } from '../copy-ledger.ts'
import { grownLedgerOf } from '../grown-ledger.ts'
import { buildReadModel } from '../read-model-build.ts'
import { fillJournal } from '../refusals-in-journal.ts'
import type { Figures } from '../report.ts'

const usual = { partners: 1_000, refusals: 100_000, searches: 300, warmUp: 30 }
const small = { partners: 20, refusals: 1_000, searches: 20, warmUp: 2 }

/** `find` inside the process, on a grown ledger with many partners. */
export async function findPart(bench: BenchRun): Promise<Figures> {
  const sizes = sizesOf(bench)
  const grown = await grownLedgerOf(bench, sizes.partners)
  const { database, masterKey } = readConfig(grown.environment)
  buildReadModel(bench, grown.path, grown.entries)
  return { findSqlite: await slowestSearch(bench, 'SQLite', database, { masterKey: masterKey!, ...sizes }) }
}

/** The same on PostgreSQL, with the same entries. */
export async function findOnPostgresPart(bench: BenchRun): Promise<Figures> {
  const sizes = sizesOf(bench)
  const grown = await grownLedgerOf(bench, sizes.partners)
  const { database, masterKey } = readConfig(grown.environment)
  bench.note('PostgreSQL starts')
  await startPostgres()
  await using ends = new AsyncDisposableStack()
  ends.defer(stopPostgres)
  const fresh = await unmigratedPostgres()
  ends.defer(() => fresh.remove())
  const postgres: DatabaseLocation = { kind: 'postgres', url: fresh.url }
  await migrateStore(postgres)
  const share = Math.min(1, bench.options.entries / grown.entries)
  await copyLedger(bench, { from: database, to: postgres, share })
  const slowest = await slowestSearch(bench, 'PostgreSQL', postgres, { masterKey: masterKey!, ...sizes })
  return { findPostgres: slowest }
}

function sizesOf({ options }: BenchRun): typeof usual {
  return options.quick ? small : usual
}

type Plan = typeof usual & { masterKey: Uint8Array }
type Question = Parameters<typeof find>[1] & { isThere: boolean }

/** Every kind of search, one after the other: the highest 99th percentile of all kinds, in ms. */
async function slowestSearch(
  bench: BenchRun,
  name: string,
  database: DatabaseLocation,
  { masterKey, refusals, searches, warmUp }: Plan,
): Promise<number> {
  const random = randomFrom(bench.options.seed)
  const { refused, fingerprintOf } = await fillJournal(database, masterKey, refusals)
  const queries = await openQueries(database)
  const journal = await openJournal(database)
  const entryOf = await prepareEntries(queries, random)
  const slow = { say: (why: string) => void bench.violations.push(`find: ${why}`), show: () => {} }
  const kinds: Record<string, () => Promise<Question> | Question> = {
    'order and partner': async () => {
      const { orderId, partnerId } = await entryOf()
      return { text: orderId, partnerId, isThere: true }
    },
    order: async () => ({ text: (await entryOf()).orderId, isThere: true }),
    'transaction id': async () => ({ text: (await entryOf()).epTransactionId, isThere: true }),
    'address and tenant': async () => {
      const { userEmail, tenantId } = await entryOf()
      return { text: userEmail, tenantId, isThere: true }
    },
    address: async () => ({ text: (await entryOf()).userEmail, isThere: true }),
    'requestId of a refusal': () => ({ text: oneOf(random, refused).requestId, isThere: true }),
    'order of a refusal': () => ({ text: oneOf(random, refused).orderId, isThere: true }),
    'an id that nobody has': () => ({ text: randomUUID(), isThere: false }),
    'an address that nobody has': () => ({ text: `${randomUUID()}@example.com`, isThere: false }),
  }
  let slowest = 0
  for (const [kind, question] of Object.entries(kinds)) {
    const times: number[] = []
    let cpuUs = 0
    for (let turn = -warmUp; turn < searches; turn++) {
      const { isThere, ...asked } = await question()
      const cpuBefore = process.cpuUsage()
      const startedAt = performance.now()
      const { credited, refused } = await find({ queries, journal, fingerprintOf }, asked, slow)
      if (turn >= 0) times.push(performance.now() - startedAt)
      const { user, system } = process.cpuUsage(cpuBefore)
      if (turn >= 0) cpuUs += user + system
      if (credited.length + refused.length > 0 !== isThere)
        bench.violations.push(`find: ${kind}: ${asked.text} was ${isThere ? 'not ' : ''}found`)
    }
    times.sort((one, other) => one - other)
    const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))]!
    const shown = [at(0.5), at(0.99), cpuUs / 1000 / searches].map((ms) => ms.toFixed(2))
    bench.values[`find, ${name}, ${kind}, ms (p50, p99, CPU of this process)`] = shown.join(', ')
    slowest = Math.max(slowest, at(0.99))
  }
  await queries.close()
  await journal.close()
  return slowest
}

/** Any entry of the ledger. */
async function prepareEntries(queries: LedgerQueries, random: Random): Promise<() => Promise<Entry>> {
  const accounts = await queries.accounts({})
  return async () => {
    const { partnerId, tenantId, seq } = oneOf(random, accounts)
    return (await queries.entryAt({ partnerId, tenantId, seq: 1 + integerBelow(random, seq) }))!
  }
}
