import type { UserAward } from '../../proof/ledger-snapshot.ts'
import type { UserDay } from '../../rules/decide-batch.ts'
import { type EntryRow, entryOf } from '../entry-row.ts'
import { type AccountRow, type OrderId, snapshotQueries } from '../snapshot-queries.ts'
import type { StoreSnapshot } from '../store.ts'
import { type Row, selectRows } from '../transfer/carried-tables.ts'
import { type Database, openDatabase } from './database.ts'
import { readRows } from './read-rows.ts'
import { readStoredEntries } from './stored-entries.ts'
import { readStoredUserDays } from './stored-user-days.ts'

/**
 * One read transaction on a connection of its own: a running server goes on writing, unseen from here. What is read
 * once need not be kept: a cache that fits into the processor's is faster.
 */
export function openSnapshot(path: string): StoreSnapshot {
  const database = openDatabase(path, { readOnly: true })
  database.exec('PRAGMA cache_size = -512')
  database.exec('BEGIN')
  return { ...snapshotOn(database), close: async () => database.close() }
}

/** What a transaction sees, its own changes included. */
export function snapshotOn(database: Database): StoreSnapshot {
  return {
    entryCount: async () => database.prepare(snapshotQueries.entryCount).get()!.count as number,
    accounts: () => readRows<AccountRow>(database, snapshotQueries.accounts),
    async *entries() {
      for await (const chunk of readRows<EntryRow>(database, snapshotQueries.entries))
        yield chunk.map(entryOf)
    },
    entryPages: () => readStoredEntries(database),
    userAwards: () => readRows<UserAward>(database, snapshotQueries.userAwards),
    userDays: () => readRows<UserDay>(database, snapshotQueries.userDays),
    userDaysAsStored: () => readStoredUserDays(database),
    orderCount: async () => database.prepare(snapshotQueries.orderCount).get()!.count as number,
    async orderCreditedTwice() {
      const row = database.prepare(snapshotQueries.orderCreditedTwice).get()
      return (row as OrderId | undefined) ?? null
    },
    rows: (kind) => readRows<Row>(database, selectRows(kind)),
    close: async () => {},
  }
}
