import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { DatabaseLocation } from '../../src/stores/open.ts'

/** Access without the store, to tamper or to see what is really written. */
export type RawDatabase = {
  run(sql: string): Promise<void>
  rows(sql: string): Promise<Record<string, unknown>[]>
  /** Removes the triggers that keep entries append-only, as an insider would. */
  unlock(): Promise<void>
  close(): Promise<void>
}

export async function openRaw(database: DatabaseLocation): Promise<RawDatabase> {
  return database.kind === 'sqlite' ? rawSqlite(database.path) : rawPostgres(database.url)
}

function rawSqlite(path: string): RawDatabase {
  const raw = new DatabaseSync(path, { timeout: 10_000 })
  return {
    run: async (sql) => raw.exec(sql),
    rows: async (sql) => raw.prepare(sql).all(),
    unlock: async () =>
      raw.exec('DROP TRIGGER entries_are_never_changed; DROP TRIGGER entries_are_never_deleted'),
    close: async () => raw.close(),
  }
}

async function rawPostgres(url: string): Promise<RawDatabase> {
  const raw = new pg.Client(url)
  await raw.connect()
  return {
    run: async (sql) => void (await raw.query(sql)),
    rows: async (sql) => (await raw.query(sql)).rows,
    unlock: async () => void (await raw.query('ALTER TABLE entries DISABLE TRIGGER ALL')),
    close: () => raw.end(),
  }
}
