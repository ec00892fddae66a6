import { DatabaseSync } from 'node:sqlite'
import type { Tampering } from './forged-ledger.ts'

/**
 * Changes entries of a file while SQLite does not know the index of orders. Afterwards the index is there again, as it
 * was before, and no longer matches the table. A failing disk or a hex editor can do the same.
 */
export function damageOrderIndex(path: string, tamper: Tampering): void {
  const index = 'sqlite_autoindex_entries_2'
  const unique = 'UNIQUE (partner_id, order_id),'
  const rows = withSchemaOpen(path, (database) => {
    const kept = database
      .prepare('SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema WHERE name IN (?, ?)')
      .all('entries', index)
    database.prepare("UPDATE sqlite_schema SET sql = replace(sql, ?, '') WHERE name = 'entries'").run(unique)
    database.prepare('DELETE FROM sqlite_schema WHERE name = ?').run(index)
    return kept
  })
  const database = new DatabaseSync(path)
  tamper(database)
  database.close()
  withSchemaOpen(path, (changed) => {
    for (const { type, name, tbl_name, rootpage, sql } of rows) {
      if (name === 'entries')
        changed.prepare("UPDATE sqlite_schema SET sql = ? WHERE name = 'entries'").run(sql!)
      else
        changed
          .prepare('INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)')
          .run(type!, name!, tbl_name!, rootpage!, sql!)
    }
  })
}

function withSchemaOpen<T>(path: string, work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(path, { defensive: false })
  try {
    database.exec('PRAGMA writable_schema = ON')
    return work(database)
  } finally {
    database.close()
  }
}
