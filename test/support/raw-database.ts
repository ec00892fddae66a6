import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { DatabaseLocation } from '../../src/stores/open.ts'
import { ourTriggersAreSafe } from '../../src/stores/postgres/citus/bring-back.ts'
import { statementsOf } from '../../src/stores/postgres/migrate.ts'

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

/** On Citus, triggers of distributed tables can be changed only after this setting. Plain PostgreSQL ignores it. */
async function rawPostgres(url: string): Promise<RawDatabase> {
  const raw = new pg.Client(url)
  await raw.connect()
  await raw.query(ourTriggersAreSafe)
  return {
    // One by one: of several in one message, Citus would send all of them to its nodes for each of them.
    async run(sql) {
      for (const statement of statementsOf(sql)) await raw.query(statement)
    },
    rows: async (sql) => (await raw.query(sql)).rows,
    unlock: async () => void (await raw.query('ALTER TABLE entries DISABLE TRIGGER ALL')),
    close: () => raw.end(),
  }
}
