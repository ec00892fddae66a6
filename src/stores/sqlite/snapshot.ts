import { Damaged } from '../../ledger/faults.ts'
import type { UserAward } from '../../ledger/ledger-snapshot.ts'
import type { UserDay } from '../../rules/decide-batch.ts'
import { type EntryRow, entryOf } from '../entry-row.ts'
import { type AccountRow, type OrderId, snapshotQueries } from '../snapshot-queries.ts'
import type { StoreSnapshot } from '../store.ts'
import { type Row, selectRows } from '../transfer/carried-tables.ts'
import { type Database, openDatabase } from './database.ts'
import { readEntriesAsStored } from './stored-entries.ts'

const chunkSize = 1000

/** One read transaction on a connection of its own: a running server goes on writing, unseen from here. */
export function openSnapshot(path: string): StoreSnapshot {
  const database = openDatabase(path, { readOnly: true })
  database.exec('BEGIN')
  return { ...snapshotOn(database), close: async () => database.close() }
}

/** What a transaction sees, its own changes included. */
export function snapshotOn(database: Database): StoreSnapshot {
  return {
    entryCount: async () => database.prepare(snapshotQueries.entryCount).get()!.count as number,
    accounts: () => chunks<AccountRow>(database, snapshotQueries.accounts),
    async *entries() {
      for await (const chunk of chunks<EntryRow>(database, snapshotQueries.entries)) yield chunk.map(entryOf)
    },
    entriesAsStored: () => readEntriesAsStored(database),
    userAwards: () => chunks<UserAward>(database, snapshotQueries.userAwards),
    userDays: () => chunks<UserDay>(database, snapshotQueries.userDays),
    async orderCreditedTwice() {
      const row = database.prepare(snapshotQueries.orderCreditedTwice).get()
      return (row as OrderId | undefined) ?? null
    },
    rows: (kind) => chunks<Row>(database, selectRows(kind)),
    close: async () => {},
  }
}

async function* chunks<T>(database: Database, sql: string): AsyncGenerator<T[]> {
  let chunk: T[] = []
  let count = 0
  try {
    for (const row of database.prepare(sql).iterate()) {
      count++
      chunk.push(row as T)
      if (chunk.length === chunkSize) {
        yield chunk
        chunk = []
      }
    }
  } catch (error) {
    // An integer that no award can have does not fit into a number.
    if (!(error instanceof RangeError)) throw error
    const query = sql.trim().replace(/\s+/g, ' ')
    throw new Damaged(`row ${count + 1} of ${query} cannot be read: ${error.message}`, { cause: error })
  }
  yield chunk
}
