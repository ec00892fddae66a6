import type { Clock } from '../../clock.ts'
import type { GroupCommitLimits } from '../../ledger/group-commit.ts'
import { seedDefaultCaps } from '../../partners/seed-default-caps.ts'
import type { Caps } from '../../rules/caps.ts'
import type { Store, StoreSnapshot, StoreToServe } from '../store.ts'
import { type BatchKind, batchesOn } from './batch-kind.ts'
import { openPool, reading, withClient } from './database.ts'
import { createLedger } from './ledger.ts'
import { loadInto } from './load.ts'
import { assertMigrated, migrate } from './migrate.ts'
import { createPartnerRecords } from './partner-records.ts'
import { selfCheck } from './self-check.ts'
import { watchSettings } from './settings-watch.ts'
import { openReading, openSnapshot } from './snapshot.ts'

const writersMax = 9
const readersMax = 4

/** Runs the migrations that are missing; gives their names. */
export async function migratePostgres(url: string): Promise<string[]> {
  const pool = openPool(url, { connectionsMax: 1 })
  try {
    return await migrate(pool)
  } finally {
    await pool.end()
  }
}

/** For the command line: beside any number of running servers. */
export async function openPostgres(url: string): Promise<Store> {
  const pool = openPool(url, { connectionsMax: 2 })
  try {
    await withClient(pool, assertMigrated)
  } catch (error) {
    await pool.end()
    throw error
  }
  return {
    partners: createPartnerRecords(pool),
    snapshot: () => openSnapshot(pool),
    load: (work) => loadInto(pool, work),
    close: () => pool.end(),
  }
}

/** For whoever only reads: it brings its own connection and takes it away again. */
export async function readPostgres(url: string, { atOneInstant = true } = {}): Promise<StoreSnapshot> {
  const pool = openPool(url, { connectionsMax: 1 })
  try {
    await withClient(pool, assertMigrated)
    const snapshot = await (atOneInstant ? openSnapshot(pool) : openReading(pool))
    return {
      ...snapshot,
      async close() {
        await snapshot.close()
        await pool.end()
      },
    }
  } catch (error) {
    await pool.end()
    throw error
  }
}

export type PostgresOptions = {
  /** Caps that were set for this process: they are the ledger's defaults if it has none yet. */
  caps: Partial<Caps>
  clock: Clock
  warn(message: string): void
  /** How long the database may take to answer a statement. Longer than any award waits for its answer. */
  answerMaxMs?: number
  limits?: Partial<GroupCommitLimits>
}

/** For a server; any number of them share one database. */
export async function servePostgres(
  url: string,
  { caps, clock, warn, answerMaxMs = 8_000, limits }: PostgresOptions,
): Promise<StoreToServe> {
  // Awards and reads do not wait for each other's connections, nor the question whether we are ready for either.
  const writers = openPool(url, { connectionsMax: writersMax, answerMaxMs })
  const readers = openPool(url, { connectionsMax: readersMax, answerMaxMs })
  const close = async () => {
    await Promise.all([writers.end(), readers.end()])
  }
  const partners = createPartnerRecords(readers)
  let batches: BatchKind
  try {
    for (const warning of await reading(readers, clock, (client) => selfCheck(client, clock.now)))
      warn(warning)
    await withClient(readers, assertMigrated)
    batches = await withClient(readers, batchesOn)
    for (const warning of await seedDefaultCaps(partners, caps, clock.now())) warn(warning)
  } catch (error) {
    await close()
    throw error
  }
  return {
    partners,
    snapshot: () => openSnapshot(readers),
    ledger: createLedger({ writers, readers }, { batches, clock, limits }),
    watchSettings: (onChange) => watchSettings(url, onChange),
    close,
  }
}
