import type { UserAward } from '../../proof/ledger-snapshot.ts'
import type { UserDay } from '../../rules/decide-batch.ts'
import type { Entry } from '../../rules/entry.ts'
import type { AuditRow } from '../../rules/audit-hash.ts'
import { settingOf } from '../audit-event.ts'
import { type EntryRow, entryOf } from '../entry-row.ts'
import { type AccountRow, snapshotQueries } from '../snapshot-queries.ts'
import { createRests, noRest, type Rest } from '../rests.ts'
import type { StoreSnapshot } from '../store.ts'
import { type Row, selectRows } from '../transfer/carried-tables.ts'
import { auditHead } from './audit-trail.ts'
import { beginAtOneInstant } from './citus/instant.ts'
import { isDistributed } from './citus/is-distributed.ts'
import { shardLayoutFault } from './citus/shard-layout.ts'
import { type Client, idleAtMost, type Pool } from './database.ts'
import { layoutFault } from './layout.ts'
import { loadOperators, loadTokens } from './operator-accounts.ts'
import { loadAllDefaultCaps, loadPartners, loadTenants } from './partner-records.ts'
import { readEntryRows, readRows, withoutIndexes } from './read-rows.ts'
import { isServed } from './settings-watch.ts'
import { passOverStoredEntries } from './stored-entries.ts'
import { readStoredUserDays } from './stored-user-days.ts'

/** Reading on a connection of its own, each statement in a short transaction of its own. */
export async function openReading(pool: Pool): Promise<StoreSnapshot> {
  return openOn(pool, async (client, instant) => {
    const mayBeServed = await isServed(client).catch(() => true) // this role may not look
    const rest = mayBeServed ? createRests() : noRest
    return snapshotOn(client, { instant, rest, inTransaction: false })
  })
}

/** The same in one repeatable read: the nodes go on writing, unseen from here. */
export async function openSnapshot(pool: Pool): Promise<StoreSnapshot> {
  return openOn(pool, async (client, instant) => {
    await instant.begin()
    return snapshotOn(client, { instant })
  })
}

async function openOn(
  pool: Pool,
  open: (client: Client, instant: Instant) => Promise<StoreSnapshot>,
): Promise<StoreSnapshot> {
  const client = await pool.connect()
  client.on('error', () => {})
  try {
    const snapshot = await open(client, await instantOn(pool, client))
    return { ...snapshot, close: async () => client.release(true) }
  } catch (error) {
    client.release(true)
    throw error
  }
}

/** How a transaction begins that sees everything as of one instant, and whether the tables are on several nodes. */
type Instant = { begin(): Promise<unknown>; distributed: boolean }

async function instantOn(pool: Pool, client: Client): Promise<Instant> {
  return (await isDistributed(client))
    ? { begin: () => beginAtOneInstant(pool, client, begin), distributed: true }
    : { begin: () => client.query(begin), distributed: false }
}

/** Whoever reads an export may be slow. */
const idleMaxMs = 600_000

const begin = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${idleAtMost(idleMaxMs)}`

type SnapshotOptions = { inTransaction?: boolean; instant?: Instant; rest?: Rest }

/** What this connection sees, changes of its own transaction included. */
export function snapshotOn(
  client: Client,
  { inTransaction = true, instant, rest = noRest }: SnapshotOptions = {},
): StoreSnapshot {
  let isOneInstant = inTransaction
  return {
    rest,
    async atOneInstant(work) {
      if (isOneInstant) return work()
      await instant?.begin()
      isOneInstant = true
      try {
        return await work()
      } finally {
        isOneInstant = false
        await client.query('ROLLBACK')
      }
    },
    entryCount: () => countOf(client, snapshotQueries.entryCount),
    entryPass: () => passOverStoredEntries(client),
    entryRowCount: () =>
      withoutIndexes(client, () => countOf(client, 'SELECT count(*) AS count FROM entries')),
    userDaysOf: (days) => {
      const { from = 0, before = Number.MAX_SAFE_INTEGER } = days
      const where = `WHERE day >= ${Number(from)} AND day < ${Number(before)}`
      return isOneInstant
        ? readRows<UserDay>(client, snapshotQueries.userDays(where))
        : readStoredUserDays(client, where)
    },
    userDayCount: () => withoutIndexes(client, () => countOf(client, snapshotQueries.userDayCount)),
    accountWithoutOwner: async () =>
      (await client.query(snapshotQueries.accountWithoutOwner)).rows[0] ?? null,
    accounts: () => readRows<AccountRow>(client, snapshotQueries.accounts),
    entries: () => entries(client),
    userAwards: () => readRows<UserAward>(client, snapshotQueries.userAwards('entries')),
    userDays: () => readRows<UserDay>(client, snapshotQueries.userDays()),
    layoutFault: async () =>
      (await layoutFault(client)) ?? (instant?.distributed ? await shardLayoutFault(client) : null),
    auditRows: () => readRows<AuditRow>(client, snapshotQueries.auditRows),
    auditHead: () => auditHead(client),
    settings: async () =>
      [
        ...(await loadAllDefaultCaps(client)),
        ...(await loadTenants(client)),
        ...(await loadPartners(client)),
        ...(await loadOperators(client)),
        ...(await loadTokens(client)),
      ].map(settingOf),
    addUpReportSums: () => () => null,
    // PostgreSQL has no check of its own without its extension amcheck; the proof relies on no index.
    checkStorage: async () => ({ fault: null, extent: 'indexes' }),
    rows: (kind) => readRows<Row>(client, selectRows(kind)),
    entryRows: (ranges) => readEntryRows(client, ranges),
    close: async () => {},
  }
}

async function countOf(client: Client, sql: string): Promise<number> {
  return Number((await client.query(sql)).rows[0].count)
}

async function* entries(client: Client): AsyncGenerator<Entry[]> {
  for await (const chunk of readRows<EntryRow>(client, snapshotQueries.entries('entries')))
    yield chunk.map(entryOf)
}
