import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DatabaseLocation, migrateStore } from '../src/stores/open.ts'
import { operatorsCitus } from '../test/support/citus-database.ts'
import { freshPostgres, runSql } from '../test/support/fresh-database.ts'
import { startPostgres, stopPostgres } from '../test/support/postgres-server.ts'

/** An empty, migrated ledger, and what it takes on disk. */
export type StoreToMeasure = { name: string; database: DatabaseLocation; bytes(): Promise<number> }

/** The embedded file and a PostgreSQL that is started for it. */
export async function embeddedStores(cleanUp: AsyncDisposableStack): Promise<StoreToMeasure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'partner-credit-capacity-'))
  cleanUp.defer(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'ledger.db')
  await startPostgres()
  cleanUp.defer(stopPostgres)
  const file = { kind: 'sqlite', path } as const
  await migrateStore(file)
  return [
    { name: 'SQLite', database: file, bytes: () => sqliteBytes(path) },
    await plainDatabase('PostgreSQL', process.env.TEST_DATABASE_URL!, cleanUp),
  ]
}

/** A plain database and a distributed one on the same coordinator of a Citus cluster. */
export async function storesOn(server: string, cleanUp: AsyncDisposableStack): Promise<StoreToMeasure[]> {
  const citus = await operatorsCitus(server)
  cleanUp.defer(citus.remove)
  return [
    await plainDatabase('PostgreSQL', server, cleanUp),
    { name: 'Citus', database: { kind: 'postgres', url: citus.url }, bytes: () => citusBytes(citus.url) },
  ]
}

async function plainDatabase(
  name: string,
  server: string,
  cleanUp: AsyncDisposableStack,
): Promise<StoreToMeasure> {
  const { url, remove } = await freshPostgres(server)
  cleanUp.defer(remove)
  return { name, database: { kind: 'postgres', url }, bytes: () => postgresBytes(url) }
}

async function sqliteBytes(path: string): Promise<number> {
  const { Database } = await import('../src/stores/sqlite/database.ts')
  const database = new Database(path, { readOnly: true })
  const { bytes } = database
    .prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size')
    .get() as { bytes: number }
  database.close()
  return bytes
}

async function postgresBytes(url: string): Promise<number> {
  const [{ bytes }] = await runSql(
    url,
    `SELECT sum(pg_total_relation_size(oid))::float8 AS bytes FROM pg_class
     WHERE relname IN ('entries', 'accounts', 'user_days')`,
  )
  return bytes
}

async function citusBytes(url: string): Promise<number> {
  const [{ bytes }] = await runSql(
    url,
    `SELECT sum(citus_total_relation_size(name::regclass))::float8 AS bytes
     FROM unnest(ARRAY['entries', 'accounts', 'user_days']) AS name`,
  )
  return bytes
}
