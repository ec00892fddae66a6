import { type AppliedMigration, pendingMigrations, readMigrations } from '../migrations.ts'
import { type Database, inTransaction } from './database.ts'

const folder = new URL('./migrations/', import.meta.url)

/**
 * Brings a database up to this program's layout: ordered files, each run once, each remembered with its SHA-256.
 * Gives the names of those it ran.
 */
export function migrate(database: Database): string[] {
  const ran = inTransaction(database, () => {
    database.exec(`CREATE TABLE IF NOT EXISTS migrations (
      name TEXT PRIMARY KEY, sha256 TEXT NOT NULL, applied_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
    ) STRICT`)
    const applied = database.prepare('SELECT name, sha256 FROM migrations').all() as AppliedMigration[]
    const pending = pendingMigrations(readMigrations(folder), applied)
    for (const { name, sha256, sql } of pending) {
      database.exec(sql)
      database.prepare('INSERT INTO migrations (name, sha256) VALUES (?, ?)').run(name, sha256)
    }
    return pending.map(({ name }) => name)
  })
  // So that the file itself, and not only its log, says whose it is: see whose-file.ts.
  if (ran.length > 0) database.exec('PRAGMA wal_checkpoint(PASSIVE)')
  return ran
}
