import type { StorageCheck } from '../../proof/ledger-snapshot.ts'
import type { OnProgress } from '../../proof/verification.ts'
import type { Database } from './database.ts'
import { isServed } from './file/server-lock.ts'
import type { Rest } from '../rests.ts'

type Steps = { onProgress: OnProgress; rest: Rest }

/**
 * Whether the file is whole and its indexes fit its tables. SQLite's own check is one long read, which would hold back
 * the log of a running server: then only the indexes of the entries are compared with the table, page by page.
 */
export async function checkStorage(database: Database, { onProgress, rest }: Steps): Promise<StorageCheck> {
  const orphan = orphanFault(database)
  if (orphan !== null) return { fault: orphan, extent: 'indexes' }
  const path = database.location()
  const isInUse = path !== null && isServed(path)
  const check: StorageCheck = isInUse
    ? { fault: await indexFault(database, { onProgress, rest }), extent: 'indexes' }
    : { fault: integrityFault(database), extent: 'file' }
  onProgress(1)
  return check
}

const remedy = 'the file is damaged or was changed from outside. Restore a backup'

function orphanFault(database: Database): string | null {
  const orphan = database.prepare('PRAGMA foreign_key_check').get()
  if (orphan === undefined) return null
  return `a row of ${orphan.table} refers to a row of ${orphan.parent} that does not exist: ${remedy}`
}

function integrityFault(database: Database): string | null {
  const [first] = database.prepare('PRAGMA integrity_check(1)').all()
  const message = String(first?.integrity_check)
  return message === 'ok' ? null : `SQLite's integrity check says: ${message}: ${remedy}`
}

const indexes = {
  sqlite_autoindex_entries_1: ['partner_id', 'tenant_id', 'seq'],
  sqlite_autoindex_entries_2: ['partner_id', 'order_id'],
}
const pageSize = 1000

/** Every row of the table is found by each index, and the index has no more rows than the table. */
async function indexFault(database: Database, { onProgress, rest }: Steps): Promise<string | null> {
  const { last } = database.prepare('SELECT max(rowid) AS last FROM entries NOT INDEXED').get()!
  const next = database.prepare('SELECT min(rowid) AS first FROM entries NOT INDEXED WHERE rowid >= ?')
  const checks = Object.entries(indexes).map(([index, columns]) => ({
    index,
    missing: database.prepare(`
      SELECT count(*) AS count FROM entries AS stored NOT INDEXED
      WHERE stored.rowid BETWEEN ? AND ? AND stored.rowid IS NOT (
        SELECT found.rowid FROM entries AS found INDEXED BY ${index}
        WHERE ${columns.map((column) => `found.${column} = stored.${column}`).join(' AND ')})`),
  }))
  for (let from: number | bigint = rowidMin; last !== null; ) {
    const { first } = next.get(from)!
    if (first === null || Number(first) > Number(last)) break
    const until = Math.min(Number(first) + pageSize - 1, Number(last))
    for (const { index, missing } of checks) {
      if (missing.get(Number(first), until)!.count !== 0)
        return `the index ${index} does not lead to every entry: ${remedy}`
    }
    from = until + 1
    onProgress(until / Number(last))
    await new Promise(setImmediate) // so that the progress is drawn
    await rest()
  }
  for (const [index, columns] of Object.entries(indexes)) {
    const counts = database
      .prepare(`
        SELECT (SELECT count(*) FROM entries NOT INDEXED) AS rows,
          (SELECT count(*) FROM entries INDEXED BY ${index} WHERE ${columns[0]} >= '') AS found`)
      .get()!
    if (counts.rows !== counts.found)
      return `the index ${index} has ${counts.found} entries, the table ${counts.rows}: ${remedy}`
  }
  return null
}

const rowidMin = -(2n ** 63n)
