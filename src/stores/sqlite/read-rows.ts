import { Damaged } from '../../ledger/errors.ts'
import { type EntryRow, entrySelection } from '../entry-row.ts'
import type { EntryRange } from '../store.ts'
import type { Database } from './database.ts'

const chunkSize = 1000

/** All rows of a query, in chunks; a row that cannot be read is named by its number. */
export async function* readRows<T>(database: Database, sql: string): AsyncGenerator<T[]> {
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
    // An integer beyond 2^53: no award has one.
    if (!(error instanceof RangeError)) throw error
    const query = sql.trim().replace(/\s+/g, ' ')
    throw new Damaged(`row ${count + 1} of ${query} cannot be read: ${error.message}`, { cause: error })
  }
  yield chunk
}

/** The entries of these ranges, in their order, each page by a statement of its own. */
export async function* readEntryRows(database: Database, ranges: EntryRange[]): AsyncGenerator<EntryRow[]> {
  const page = database.prepare(`
    SELECT ${entrySelection} FROM entries
    WHERE partner_id = ? AND tenant_id = ? AND seq > ? AND seq <= ? ORDER BY seq`)
  let rows: EntryRow[] = []
  for (const { partnerId, tenantId, after, upTo } of ranges) {
    for (let from = after; from < upTo; from += chunkSize) {
      const until = Math.min(upTo, from + chunkSize)
      rows.push(...(page.all(partnerId, tenantId, from, until) as EntryRow[]))
      if (rows.length < chunkSize) continue
      yield rows
      rows = []
    }
  }
  yield rows
}
