import { type AppliedMigration, type Migration, pendingMigrations, readMigrations } from '../migrations.ts'
import { chainAudit } from './chain-audit.ts'
import { type Database, inTransaction } from './database.ts'

const folder = new URL('./migrations/', import.meta.url)

/** What belongs to a file and cannot be said in SQL: run after it, in the same transaction. */
const codeSteps: Record<string, (database: Database) => void> = {
  '0005-audit-chain-and-default-caps.sql': chainAudit,
}

/**
 * Brings a database up to this program's layout: ordered files, each run once, each remembered with its SHA-256.
 * Gives the names of those it ran.
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
  // So that the file itself, and not only its log, says whose it is: see file/whose-file.ts.
  if (ran.length > 0) database.exec('PRAGMA wal_checkpoint(PASSIVE)')
  return ran
}

/**
 * Everyone but `serve` and `migrate` only makes sure that it was done: a running server of an older version would find
 * another layout under it, and could not be started again.
 */
export function assertMigrated(database: Database, path: string): void {
  if (isEmpty(database)) throw new Error(`there is no ledger at ${path}: serve and partner create make one`)
  const [first] = pendingOn(database)
  if (first === undefined) return
  throw new Error(
    `${path} has the layout of an older version (it lacks ${first.name}): stop the server, back it up, and run node bin/partner-credit.js migrate`,
  )
}

/** Not one table: a file that was made and never used. */
export function isEmpty(database: Database): boolean {
  return database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined
}

/** Throws where a newer program has been at work. A file without tables lacks everything. */
export function pendingOn(database: Database): Migration[] {
  const exist = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'migrations'").get() !== undefined
  const applied = exist ? database.prepare('SELECT name, sha256 FROM migrations').all() : []
  return pendingMigrations(readMigrations(folder), applied as AppliedMigration[])
}
