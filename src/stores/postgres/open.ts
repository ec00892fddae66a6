import type { Clock } from '../../clock.ts'
import type { GroupCommitLimits } from '../../ledger/group-commit.ts'
import type { PoolMeasures } from '../../ledger/measures.ts'
import type { PartnerStore } from '../../partners/partner-store.ts'
import { seedDefaultCaps } from '../../partners/seed-default-caps.ts'
import type { Caps } from '../../rules/caps.ts'
import type { ImportTarget, Store, StoreSnapshot, StoreToServe } from '../store.ts'
import type { BatchKind } from './batch-kind.ts'
import { chooseBatches } from './choose-batches.ts'
import { createShardMap, type ShardMap } from './citus/shard-map.ts'
import { checkWorkers, coordinatorWarnings } from './citus/worker-check.ts'
import { type Client, explained, openPool, type Pool, reading, type Schema, withClient } from './database.ts'
import { readClockDifference } from './clock-difference.ts'
import { readDayUsage } from './day-usage.ts'
import { firstOf } from './first-of.ts'
import { createLedger } from './ledger.ts'
import { importInto } from './import.ts'
import { openJournalWriter } from './journal-writer.ts'
import { assertPathBeginsWithLedger, otherLedgerWarnings } from './ledger-schemas.ts'
import type { LockPatience } from './lock-retries.ts'
import { assertMigrated, migrate, schemaOf } from './migrate.ts'
import { createOperatorAccounts } from './operator-accounts.ts'
import { createPartnerRecords } from './partner-records.ts'
import { checkPooler } from './pooler-check.ts'
import { selfCheck } from './self-check.ts'
import { checkTables } from './table-check.ts'
import { watchSettings } from './settings-watch.ts'
import { openReading, openSnapshot } from './snapshot.ts'
import { readVerifyRecord } from './verify-record.ts'

/**
 * Connections of a server process: as many for batches as may run side by side, then those for pages of history, one for
 * the key directory, one for health, one for the journal. Together with the one that listens (settings-watch.ts) they
 * are 15.
 */
const connections = { writers: 8, history: 3, directory: 1, health: 1, journal: 1 }

/** Longer than any caller on this connection waits. A connection that does not respond would block the next query. */
const healthAnswerMaxMs = 1_500
/** A batch takes milliseconds. One that is not written in this time is written again later, or dropped. */
const journalAnswerMaxMs = 2_000

/**
 * Timeouts of commands, because a frozen database reports no error. An operator's change is small and waits at most a
 * few seconds for others. `verify` may count all entries in one statement.
 */
export const commandAnswerMaxMs = 30_000
const readingAnswerMaxMs = 900_000
/**
 * A busy database may take seconds to accept a connection, and an award or a page waits up to 5 s: this leaves 2 s for
 * their statements. Health, the key directory and the journal have to know sooner (`openPool`).
 */
const requestConnectMaxMs = 3_000
/** A command has no partner who waits for it: it gives a busy database more time than an award can. */
const commandConnectMaxMs = 5_000
const ofCommand = { connectMaxMs: commandConnectMaxMs, liftsRoleLimits: true }
const startAnswerMaxMs = 8_000

/** Runs the missing migrations. Returns their names. */
export async function migratePostgres(
  url: string,
  patience: LockPatience = { say: () => {} },
): Promise<string[]> {
  const pool = openPool(url, { connectionsMax: 2, ...ofCommand })
  try {
    return await explained(() => migrate(pool, patience))
  } finally {
    await pool.end()
  }
}

type OpenOptions = {
  answerMaxMs?: number
  schema?: Schema | undefined
  warn?: ((message: string) => void) | undefined
}

/** For the command line. Any number of servers may be running. */
export async function openPostgres(
  url: string,
  { answerMaxMs = commandAnswerMaxMs, schema = null, warn }: OpenOptions = {},
): Promise<Store> {
  const open = (connectionsMax: number) =>
    openPool(url, { connectionsMax, answerMaxMs, schema: () => schema, ...ofCommand })
  const pool = open(2)
  try {
    await explained(() => withClient(pool, (client) => assertMigrated(client, schema)))
    if (warn !== undefined) for (const warning of await withClient(pool, otherLedgerWarnings)) warn(warning)
  } catch (error) {
    await pool.end()
    throw error
  }
  // Those of the operators' API wait a minute for a locked account, and others go on reading meanwhile.
  const changes = open(3)
  return {
    partners: createPartnerRecords(pool, changes),
    operators: createOperatorAccounts(pool, changes),
    snapshot: () => openSnapshot(pool),
    importInto: (work) => importAlone(url, work),
    async close() {
      await Promise.all([pool.end(), changes.end()])
    },
  }
}

/** The statements of an import, and its COMMIT, may take long. */
async function importAlone<T>(url: string, work: (target: ImportTarget) => Promise<T>): Promise<T> {
  const pool = openPool(url, { connectionsMax: 1, ...ofCommand })
  try {
    return await importInto(pool, work)
  } finally {
    await pool.end()
  }
}

/** For commands that only read. Opens its own connections and closes them again. */
export async function readPostgres(
  url: string,
  { atOneInstant = true, schema = null }: { atOneInstant?: boolean; schema?: Schema | undefined } = {},
): Promise<StoreSnapshot> {
  // One connection reads. On Citus, a second one briefly blocks awards.
  const limits = { connectionsMax: 2, answerMaxMs: readingAnswerMaxMs, schema: () => schema }
  const pool = openPool(url, { ...limits, ...ofCommand })
  try {
    await explained(() => withClient(pool, (client) => assertMigrated(client, schema)))
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
  /** How long the database may take for a statement. Longer than the deadline of an award. */
  answerMaxMs?: number
  limits?: Partial<GroupCommitLimits>
  /** Where other processes of the same server have found the ledger. */
  schema?: Schema | undefined
  /** Called before anything is changed. Throws if this server may not run on the ledger. */
  admits?(partners: PartnerStore): Promise<void>
}

/** For a server; any number of them share one database. */
export async function servePostgres(
  url: string,
  {
    caps,
    clock,
    warn,
    answerMaxMs = 8_000,
    limits,
    schema: known = null,
    admits = async () => {},
  }: PostgresOptions,
): Promise<StoreToServe & { schema: Schema }> {
  // In any case known after the checks below.
  let ledgerSchema = known
  const schema = () => ledgerSchema
  const open = (connectionsMax: number, maxMs = answerMaxMs) =>
    openPool(url, { connectionsMax, answerMaxMs: Math.min(maxMs, answerMaxMs), schema })
  const openForRequests = (connectionsMax: number) =>
    openPool(url, { connectionsMax, answerMaxMs, connectMaxMs: requestConnectMaxMs, schema })
  const pools = {
    writers: openForRequests(connections.writers),
    history: openForRequests(connections.history),
    directory: open(connections.directory),
    health: open(connections.health, healthAnswerMaxMs),
    journal: open(connections.journal, journalAnswerMaxMs),
  }
  const { directory, health } = pools
  const close = async () => {
    await Promise.all(Object.values(pools).map((pool) => pool.end()))
  }
  const partners = readAlsoOn(createPartnerRecords(directory), pools.writers, pools.history)
  const shards = createShardMap(directory)
  const checked = await checkBeforeServing(url, { caps, clock, warn, admits, shards, schema }).catch(
    async (error) => {
      await close()
      throw error
    },
  )
  const { batches } = checked
  ledgerSchema = checked.schema
  await connectForStart(directory)
  const ledger = createLedger(pools, { batches, clock, limits })
  return {
    partners,
    operators: createOperatorAccounts(directory),
    snapshot: () => readPostgres(url, { schema: ledgerSchema }),
    schema: ledgerSchema,
    ledger,
    measured: () => ({ commits: ledger.measured(), log: null, pools: poolMeasures(pools) }),
    readings: {
      dayUsage: () => readDayUsage(pools.history, clock),
      clockDifferenceMs: () => readClockDifference(health, clock),
      ...readVerifyRecord(health, clock),
    },
    openJournal: (options) => openJournalWriter(pools.journal, options),
    watchSettings: (onChange) => watchSettings(url, onChange),
    close,
  }
}

/** No award waits yet, so that a busy database gets as much time as it does from a command. */
async function checkBeforeServing(
  url: string,
  {
    caps,
    clock,
    warn,
    admits,
    shards,
    schema: known,
  }: Required<Pick<PostgresOptions, 'caps' | 'clock' | 'warn' | 'admits'>> & {
    shards: ShardMap
    schema(): Schema
  },
): Promise<{ batches: BatchKind; schema: string }> {
  const limits = { answerMaxMs: startAnswerMaxMs, connectMaxMs: commandConnectMaxMs }
  const pool = openPool(url, { connectionsMax: 1, schema: known, ...limits })
  try {
    const check = () => reading(pool, clock, (client) => selfCheck(client, clock.now))
    for (const warning of await explained(check)) warn(warning)
    const ofPooler = await explained(() => checkPooler(url, limits))
    for (const warning of ofPooler) warn(warning)
    if (ofPooler.length > 0) await withClient(pool, assertPathBeginsWithLedger)
    await withClient(pool, (client) => assertMigrated(client, known()))
    await withClient(pool, checkTables)
    const schema = await withClient(pool, schemaOf)
    for (const warning of await withClient(pool, otherLedgerWarnings)) warn(warning)
    const batches = await withClient(pool, (client) => chooseBatches(client, shards))
    if (batches.distributed) for (const warning of await withClient(pool, warningsAtStart)) warn(warning)
    const store = createPartnerRecords(pool)
    await admits(store)
    const operator = { store, actor: 'serve', now: clock.now() }
    for (const warning of await seedDefaultCaps(operator, caps)) warn(warning)
    return { batches, schema }
  } finally {
    await pool.end()
  }
}

const connectAttemptsMax = 5

/**
 * The rest of the start reads settings on this connection. A busy database gets several attempts; if all fail, the first
 * read says why.
 */
async function connectForStart(pool: Pool): Promise<void> {
  for (let attempt = 0; attempt < connectAttemptsMax; attempt++) {
    const connected = await withClient(pool, async () => true).catch(() => false)
    if (connected) return
  }
}

function poolMeasures(pools: Record<string, Pool>): PoolMeasures[] {
  return Object.entries(pools).map(([name, { options, totalCount, idleCount, waitingCount }]) => ({
    name,
    max: options.max,
    used: totalCount - idleCount,
    idle: idleCount,
    waiting: waitingCount,
  }))
}

/** An unreachable worker does not prevent a start: awards on the other workers are possible. */
async function warningsAtStart(client: Client): Promise<string[]> {
  return [...(await coordinatorWarnings(client)), ...(await checkWorkers(client)).warnings]
}

/**
 * If the database has no connection left for the key directory, or its connection hangs, it uses those of the other pools:
 * as long as awards or history can be served, a revoked key must be noticed. If all hang, a new one of its own may not.
 */
function readAlsoOn(own: PartnerStore, writers: Pool, history: Pool): PartnerStore {
  const stores = [own, createPartnerRecords(writers), own, createPartnerRecords(history)]
  return {
    ...own,
    settingsVersion: (known) => firstOf(stores.map((store) => () => store.settingsVersion(known))),
    changedPartners: (...page) => firstOf(stores.map((store) => () => store.changedPartners(...page))),
  }
}
