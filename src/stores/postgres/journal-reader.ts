import type { JournalReader } from '../../journal/journal-reader.ts'
import { journalReader } from '../journal-queries.ts'
import { explained, openPool, type Schema, withClient } from './database.ts'
import { assertMigrated } from './migrate.ts'

const answerMaxMs = 30_000
const connectMaxMs = 5_000

/** The journal of all processes on this database. */
export async function openJournalReader(url: string, schema: Schema = null): Promise<JournalReader> {
  const pool = openPool(url, { connectionsMax: 1, answerMaxMs, connectMaxMs, schema: () => schema })
  try {
    await explained(() => withClient(pool, (client) => assertMigrated(client, schema)))
  } catch (error) {
    await pool.end()
    throw error
  }
  return journalReader({
    read: (sql, values) => withClient(pool, async (client) => (await client.query(sql, values)).rows),
    // PostgreSQL hashes a constant array: each row is looked up, not compared with every text.
    isNoneOf: (column, parameter) => `${column} <> ALL (${parameter}::text[])`,
    close: () => pool.end(),
  })
}
