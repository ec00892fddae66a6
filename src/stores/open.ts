import type { Clock } from '../clock.ts'
import type { Caps } from '../rules/caps.ts'
import { distributePostgres } from './postgres/distribute.ts'
import { migratePostgres, openPostgres, readPostgres, servePostgres } from './postgres/open.ts'
import { migrateSqlite, openSqlite, readSqlite, serveSqlite } from './sqlite/open.ts'
import type { Store, StoreSnapshot, StoreToServe } from './store.ts'

/** Where the ledger is kept. */
export type Database = { kind: 'sqlite'; path: string } | { kind: 'postgres'; url: string }

export async function openStore(database: Database, { create = true } = {}): Promise<Store> {
  return database.kind === 'sqlite' ? openSqlite(database.path, { create }) : openPostgres(database.url)
}

/** Everything as it is at this moment, for whoever only reads. */
export async function openSnapshot(database: Database): Promise<StoreSnapshot> {
  return database.kind === 'sqlite' ? readSqlite(database.path) : readPostgres(database.url)
}

export type ServeOptions = { caps: Caps; clock: Clock; warn(message: string): void }

export async function serveStore(database: Database, options: ServeOptions): Promise<StoreToServe> {
  return database.kind === 'sqlite'
    ? serveSqlite(database.path, options.caps, options.clock)
    : servePostgres(database.url, options)
}

/** Gives the names of the migrations that were missing. The embedded ledger runs its own whenever it is opened. */
export async function migrateStore(database: Database): Promise<string[]> {
  return database.kind === 'sqlite' ? migrateSqlite(database.path) : migratePostgres(database.url)
}

/** Gives the names of the tables that it spread. */
export async function distributeStore(database: Database): Promise<string[]> {
  if (database.kind === 'postgres') return distributePostgres(database.url)
  throw new Error('the embedded ledger lives in one file: distribute needs a PostgreSQL with Citus')
}
