import type { UserAward } from '../../proof/ledger-snapshot.ts'
import type { AccountId } from '../../rules/cursor.ts'
import type { UserDay } from '../../rules/decide-batch.ts'
import type { AuditRow } from '../../rules/audit-hash.ts'
import { settingOf } from '../audit-event.ts'
import { type EntryRow, entryOf } from '../entry-row.ts'
import { type AccountRow, snapshotQueries } from '../snapshot-queries.ts'
import { createRests, noRest, type Rest } from '../rests.ts'
import type { StoreSnapshot } from '../store.ts'
import { type Row, selectRows } from '../transfer/carried-tables.ts'
import { auditHead } from './audit-trail.ts'
import { type Database, openDatabase } from './database.ts'
import { isServed } from './file/server-lock.ts'
import { type EntryPlaces, openPlaces } from './follower/entry-places.ts'
import { operatorFileOf } from './follower/operator-file.ts'
import { layoutFault } from './layout.ts'
import { assertMigrated } from './migrate.ts'
import { loadOperators, loadTokens } from './operator-accounts.ts'
import { loadAllDefaultCaps, loadPartners, loadTenants } from './partner-records.ts'
import { readEntryRows, readRows } from './read-rows.ts'
import { checkStorage } from './storage-check.ts'
import { createSumsCheck, type SumsCheck } from './follower/sums-check.ts'
import { passOverStoredEntries } from './stored-entries.ts'
import { readStoredUserDays } from './stored-user-days.ts'

/**
 * Reading on a connection of its own, each statement in a short transaction of its own. What is read once need not be
 * kept: a cache that fits into the processor's is faster.
 */
export function openReading(path: string): StoreSnapshot {
  const database = openToRead(path)
  const snapshot = snapshotOn(database, { rest: restBesideServer(path) })
  let places: EntryPlaces | null = null
  let nextPass: SumsCheck | null = null
  return {
    ...snapshot,
    addUpReportSums() {
      const found = openPlaces(operatorFileOf(path), database)
      if ('why' in found) return () => null
      places = found
      const sums = createSumsCheck(database, found)
      nextPass = sums
      return () => sums.fault()
    },
    entryPass() {
      const pass = snapshot.entryPass()
      const sums = nextPass
      nextPass = null // the verifier passes over the entries again if it doubts an order
      return sums === null ? pass : () => sums.over(pass())
    },
    async close() {
      places?.close()
      database.close()
    },
  }
}

function restBesideServer(path: string): Rest {
  try {
    return isServed(path) ? createRests() : noRest
  } catch {
    return createRests() // this user may not look, and there may be a server
  }
}

/** The same in one read transaction: a running server goes on writing, unseen from here. */
export function openSnapshot(path: string): StoreSnapshot {
  const database = openToRead(path)
  database.exec('BEGIN')
  return { ...snapshotOn(database), close: async () => database.close() }
}

function openToRead(path: string): Database {
  const database = openDatabase(path, { readOnly: true })
  try {
    assertMigrated(database, path)
    database.exec('PRAGMA cache_size = -512')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Its primary key and the index of its orders are what the verifier has to check. */
const entriesByNoIndex = 'entries NOT INDEXED'

/** What this connection sees, changes of its own transaction included. */
export function snapshotOn(database: Database, { rest = noRest } = {}): StoreSnapshot {
  return {
    rest,
    atOneInstant: (work) => atOneInstant(database, work),
    entryCount: async () => database.prepare(snapshotQueries.entryCount).get()!.count as number,
    entryPass: () => passOverStoredEntries(database),
    entryRowCount: async () => null,
    userDaysOf: (days) => readStoredUserDays(database, days),
    userDayCount: async () => database.prepare(snapshotQueries.userDayCount).get()!.count as number,
    async accountWithoutOwner() {
      const row = database.prepare(snapshotQueries.accountWithoutOwner).get()
      return (row as AccountId | undefined) ?? null
    },
    accounts: () => readRows<AccountRow>(database, snapshotQueries.accounts),
    async *entries() {
      for await (const chunk of readRows<EntryRow>(database, snapshotQueries.entries(entriesByNoIndex)))
        yield chunk.map(entryOf)
    },
    userAwards: () => readRows<UserAward>(database, snapshotQueries.userAwards(entriesByNoIndex)),
    userDays: () => readRows<UserDay>(database, snapshotQueries.userDays()),
    layoutFault: async () => layoutFault(database),
    auditRows: () => readRows<AuditRow>(database, snapshotQueries.auditRows),
    auditHead: async () => auditHead(database),
    settings: async () =>
      [
        ...loadAllDefaultCaps(database),
        ...loadTenants(database),
        ...loadPartners(database),
        ...loadOperators(database),
        ...loadTokens(database),
      ].map(settingOf),
    addUpReportSums: () => () => null,
    checkStorage: (onProgress) => checkStorage(database, { onProgress, rest }),
    rows: (kind) => readRows<Row>(database, selectRows(kind)),
    entryRows: (ranges) => readEntryRows(database, ranges),
    close: async () => {},
  }
}

async function atOneInstant<T>(database: Database, work: () => Promise<T>): Promise<T> {
  if (database.isTransaction) return work()
  database.exec('BEGIN')
  try {
    return await work()
  } finally {
    if (database.isTransaction) database.exec('ROLLBACK')
  }
}
