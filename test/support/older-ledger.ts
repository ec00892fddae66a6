import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { type Database, openDatabase } from '../../src/stores/sqlite/database.ts'
import { join } from 'node:path'
import type { DatabaseLocation } from '../../src/stores/open.ts'
import { runSql, type FreshDatabase, storeKind, unmigratedPostgres } from './fresh-database.ts'
import { type Lifetime, temporaryFolder } from './service.ts'
import { databaseOf } from './transfers.ts'

/** The layout before the audit trail was a chain. */
const lastOf = { sqlite: '0004-no-index-by-id.sql', postgres: '0001-ledger.sql' }

function migrationsOf(kind: 'sqlite' | 'postgres'): { name: string; sql: string; sha256: string }[] {
  const folder = new URL(`../../src/stores/${kind}/migrations/`, import.meta.url)
  return readdirSync(folder)
    .toSorted((a, b) => (a < b ? -1 : 1))
    .filter((name) => name <= lastOf[kind])
    .map((name) => {
      const sql = readFileSync(new URL(name, folder), 'utf8')
      return { name, sql, sha256: createHash('sha256').update(sql).digest('hex') }
    })
}

const partner = (caps: string) => JSON.stringify({ partnerId: 'acme', name: 'Acme', ...JSON.parse(caps) })
const keys = '[{"keyId":"key_1","createdAt":1000,"expiresAt":null,"revokedAt":null}]'
const grants = (tenants: string[]) =>
  JSON.stringify(tenants.map((tenantId) => ({ tenantId, perTx: null, perPartnerDay: null })))
const acme = (perTx: number | null, ...tenants: string[]) =>
  partner(
    `{"status":"active","perTx":${perTx},"perPartnerDay":null,"requestsPerSecond":null,"createdAt":1000,"grants":${grants(tenants)},"keys":${keys}}`,
  )

/**
 * What the older program left: acme, made with t1 and then allowed t0, with a cap of its own; the audit rows that it wrote
 * (numbered with gaps on PostgreSQL, without a row for the tenants), and globex, which was created by SQL.
 */
const settings = `
  INSERT INTO partners VALUES ('acme', 'Acme', 'active', 7, NULL, NULL, 1000), ('globex', 'Globex', 'active', NULL, NULL, NULL, 5);
  INSERT INTO tenants VALUES ('t1', NULL, 1000), ('t0', 500, 2000);
  INSERT INTO grants VALUES ('acme', 't1', NULL, NULL), ('acme', 't0', NULL, NULL);
  INSERT INTO audit VALUES
    (1, 1000, 'cli:mai', 'partner create', 'partner acme', NULL, '${acme(null, 't1')}'),
    (2, 2000, 'cli:mai', 'partner allow', 'partner acme', '${acme(null, 't1')}', '${acme(null, 't1', 't0')}'),
    (4, 3000, 'cli:mai', 'tenant caps', 'tenant t0', '{"tenantId":"t0","perUserDay":null,"createdAt":2000}',
      '{"tenantId":"t0","perUserDay":500,"createdAt":2000}'),
    (5, 4000, 'cli:an', 'partner caps', 'partner acme', '${acme(null, 't1', 't0')}', '${acme(7, 't1', 't0')}');
  UPDATE settings_version SET version = 5;`

/** One on the store that this run tests. */
export async function olderLedger(test: Lifetime): Promise<DatabaseLocation> {
  if (storeKind === 'sqlite') {
    const path = join(temporaryFolder(test), 'ledger.db')
    olderFile(path)
    return databaseOf(`sqlite:${path}`)
  }
  const { url, remove } = await olderPostgres()
  test.after(remove)
  return databaseOf(url)
}

/** A real file as the version before left it. */
export function olderFile(path: string): void {
  const database: Database = openDatabase(path)
  try {
    database.exec(
      'CREATE TABLE migrations ( name TEXT PRIMARY KEY, sha256 TEXT NOT NULL, applied_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP ) STRICT',
    )
    for (const { name, sql, sha256 } of migrationsOf('sqlite')) {
      database.exec(sql)
      database.prepare('INSERT INTO migrations (name, sha256) VALUES (?, ?)').run(name, sha256)
    }
    database.exec(settings)
    database.exec("INSERT INTO keys VALUES ('key_1', 'acme', 'hash', x'00', 1000, NULL, NULL)")
  } finally {
    database.close()
  }
}

async function olderPostgres(): Promise<FreshDatabase> {
  const database = await unmigratedPostgres()
  await makeOlder(database.url)
  return database
}

/** On an empty database. */
export async function makeOlder(url: string): Promise<void> {
  const steps = migrationsOf('postgres').map(
    ({ name, sql, sha256 }) =>
      `${sql}; INSERT INTO migrations (name, sha256) VALUES ('${name}', '${sha256}');`,
  )
  await runSql(
    url,
    `CREATE TABLE migrations (name text PRIMARY KEY, sha256 text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now());
     ${steps.join('\n')}
     ${settings}
     INSERT INTO keys VALUES ('key_1', 'acme', 'hash', '\\x00', 1000, NULL, NULL)`,
  )
}
