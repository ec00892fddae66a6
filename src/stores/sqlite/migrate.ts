import { type AppliedMigration, type Migration, pendingMigrations, readMigrations } from '../migrations.ts'
import { chainAudit } from './chain-audit.ts'
import { type Database, inTransaction } from './database.ts'

const folder = new URL('./migrations/', import.meta.url)

/** The part of a migration that SQL cannot express. It runs after the file, in the same transaction. */
const codeSteps: Record<string, (database: Database) => void> = {
  '0005-audit-chain-and-default-caps.sql': chainAudit,
}

/**
 * Brings a database up to this program's layout: ordered files, each run once, each remembered with its SHA-256.
 * Returns the names of those it ran.
 */
export function migrate(database: Database): string[] {
  const ran = inTransaction(database, () => {
    database.exec(`CREATE TABLE IF NOT EXISTS migrations (
      name TEXT PRIMARY KEY, sha256 TEXT NOT NULL, applied_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
    ) STRICT`)
    const pending = pendingOn(database)
    for (const { name, sha256, sql } of pending) {
      database.exec(sql)
      codeSteps[name]?.(database)
      database.prepare('INSERT INTO migrations (name, sha256) VALUES (?, ?)').run(name, sha256)
    }
    return pending.map(({ name }) => name)
  })
  // The file itself, not only its log, must identify the ledger: see file/whose-file.ts.
  if (ran.length > 0) database.exec('PRAGMA wal_checkpoint(PASSIVE)')
  return ran
}

/**
 * Only `serve` and `migrate` change the layout; everyone else checks it. Otherwise a running server of an older version
 * would suddenly have a newer layout, and could not be restarted.
 */
export function assertMigrated(database: Database, path: string): void {
  if (isEmpty(database))
    throw new Error(`there is no ledger at ${path}: serve, partner create and operator create make one`)
  const [first] = pendingOn(database)
  if (first === undefined) return
  throw new Error(
    `${path} has the layout of an older version (it lacks ${first.name}): stop the server, back it up, and run node bin/partner-credit.js migrate`,
  )
}

/** Without a single table: the file was created and never used. */
export function isEmpty(database: Database): boolean {
  return database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined
}

/** Throws if a newer version has migrated the database. A file without tables lacks every migration. */
export function pendingOn(database: Database): Migration[] {
  const exist = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'migrations'").get() !== undefined
  const applied = exist ? database.prepare('SELECT name, sha256 FROM migrations').all() : []
  return pendingMigrations(readMigrations(folder), applied as AppliedMigration[])
}
