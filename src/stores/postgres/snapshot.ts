import { Damaged } from '../../ledger/faults.ts'
import type { UserAward } from '../../proof/ledger-snapshot.ts'
import { type EntryPage, entryPageOf } from '../../proof/stored-entry.ts'
import type { UserDay } from '../../rules/decide-batch.ts'
import type { Entry } from '../../rules/entry.ts'
import { type EntryRow, entryOf } from '../entry-row.ts'
import { type AccountRow, snapshotQueries } from '../snapshot-queries.ts'
import type { StoreSnapshot } from '../store.ts'
import { type Row, selectRows } from '../transfer/carried-tables.ts'
import type { Client, Pool } from './database.ts'

const chunkSize = 1000

/** One repeatable read on a connection of its own: the nodes go on writing, unseen from here. */
export async function openSnapshot(pool: Pool): Promise<StoreSnapshot> {
  const client = await pool.connect()
  client.on('error', () => {})
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  } catch (error) {
    client.release(true)
    throw error
  }
  return { ...snapshotOn(client), close: async () => client.release(true) }
}

/** What a transaction sees, its own changes included. */
export function snapshotOn(client: Client): StoreSnapshot {
  return {
    entryCount: async () => (await client.query(snapshotQueries.entryCount)).rows[0].count,
    accounts: () => chunks<AccountRow>(client, snapshotQueries.accounts),
    entries: () => entries(client),
    entryPages: () => entryPages(client),
    userAwards: () => chunks<UserAward>(client, snapshotQueries.userAwards),
    userDays: () => chunks<UserDay>(client, snapshotQueries.userDays),
    userDaysAsStored: () => chunks<UserDay>(client, snapshotQueries.userDays),
    orderCount: async () => (await client.query(snapshotQueries.orderCount)).rows[0].count,
    orderCreditedTwice: async () => (await client.query(snapshotQueries.orderCreditedTwice)).rows[0] ?? null,
    rows: (kind) => chunks<Row>(client, selectRows(kind)),
    close: async () => {},
  }
}

async function* entries(client: Client): AsyncGenerator<Entry[]> {
  for await (const chunk of chunks<EntryRow>(client, snapshotQueries.entries)) yield chunk.map(entryOf)
}

async function* entryPages(client: Client): AsyncGenerator<EntryPage> {
  for await (const chunk of entries(client)) yield entryPageOf(chunk)
}

let cursors = 0

async function* chunks<T>(client: Client, sql: string): AsyncGenerator<T[]> {
  const cursor = `cursor_${++cursors}`
  await client.query(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${sql}`)
  for (;;) {
    const rows = await fetchChunk<T>(client, cursor)
    yield rows
    if (rows.length < chunkSize) return
  }
}

async function fetchChunk<T>(client: Client, cursor: string): Promise<T[]> {
  try {
    return (await client.query(`FETCH ${chunkSize} FROM ${cursor}`)).rows as T[]
  } catch (error) {
    // An integer that no award can have does not fit into a number.
    if (!(error instanceof RangeError)) throw error
    throw new Damaged(`a row cannot be read: ${error.message}`, { cause: error })
  }
}
