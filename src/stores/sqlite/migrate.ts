import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { type Database, inTransaction } from './database.ts'

const folder = new URL('./migrations/', import.meta.url)

/**
 * Brings a database up to this program's layout: ordered files, each run once, each remembered with its SHA-256. A
 * database that was changed by a newer program, or by a file that has been edited since, is refused.
 */
export function migrate(database: Database): void {
  inTransaction(database, () => {
    database.exec(`CREATE TABLE IF NOT EXISTS migrations (
      name TEXT PRIMARY KEY, sha256 TEXT NOT NULL, applied_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
    ) STRICT`)
    const ours = readMigrations()
    const applied = new Map(
      database
        .prepare('SELECT name, sha256 FROM migrations')
        .all()
        .map((row) => [String(row.name), String(row.sha256)]),
    )
    for (const [name, sha256] of applied) {
      const known = ours.find((migration) => migration.name === name)
      if (known === undefined) {
        throw new Error(
          `the database is from a newer version of this program (it has ${name}): run that version`,
        )
      }
      if (known.sha256 !== sha256) {
        throw new Error(`migration ${name} was edited after this database was made: restore the file`)
      }
    }
    for (const { name, sha256, sql } of ours) {
      if (applied.has(name)) continue
      database.exec(sql)
      database.prepare('INSERT INTO migrations (name, sha256) VALUES (?, ?)').run(name, sha256)
    }
  })
}

function readMigrations(): { name: string; sha256: string; sql: string }[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => {
      const sql = readFileSync(new URL(name, folder), 'utf8')
      return { name, sql, sha256: createHash('sha256').update(sql).digest('hex') }
    })
}
