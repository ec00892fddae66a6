import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { migrateStore } from '../../src/stores/open.ts'
import { copyOfCitus, operatorsCitus } from './citus-database.ts'
import { runSql } from './run-sql.ts'
import { scratchFolder } from './scratch-folder.ts'

export { runSql }

/** Which store this run of the tests is about: STORE=postgres, or STORE=citus for a distributed one, says the other one. */
const { STORE } = process.env
export const storeKind = STORE === 'postgres' || STORE === 'citus' ? 'postgres' : 'sqlite'
export const onCitus = STORE === 'citus'

/** A new, migrated database, and how to remove it. */
export type FreshDatabase = { url: string; remove(): Promise<void> }

export async function freshDatabase(kind: 'sqlite' | 'postgres' = storeKind): Promise<FreshDatabase> {
  if (kind === 'sqlite') return freshFile()
  if (!onCitus) return freshPostgres()
  const { TEST_CITUS_TEMPLATE } = process.env
  return TEST_CITUS_TEMPLATE === undefined ? operatorsCitus() : copyOfCitus(TEST_CITUS_TEMPLATE)
}

function freshFile(): FreshDatabase {
  const folder = mkdtempSync(join(scratchFolder(), 'partner-credit-test-'))
  return {
    url: `sqlite:${join(folder, 'ledger.db')}`,
    // A verification that a test has started may still write.
    remove: async () => rmSync(folder, { recursive: true, maxRetries: 5 }),
  }
}

export async function freshPostgres(server = serverUrl()): Promise<FreshDatabase> {
  const { TEST_DATABASE_URL, TEST_TEMPLATE } = process.env
  // A copy of the template that was migrated when the server started takes half the time.
  if (TEST_TEMPLATE !== undefined && server === TEST_DATABASE_URL) return copyOf(TEST_TEMPLATE, server)
  const database = await unmigratedPostgres(server)
  await migrateStore({ kind: 'postgres', url: database.url })
  return database
}

export async function unmigratedPostgres(server = serverUrl()): Promise<FreshDatabase> {
  return copyOf('template0', server)
}

async function copyOf(template: string, server: string): Promise<FreshDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`
  await runAsAdmin(server, `CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE ${template} STRATEGY file_copy`)
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href
  return {
    url,
    remove: async () => {
      await runAsAdmin(server, `DROP DATABASE ${name} WITH (FORCE)`)
    },
  }
}

/** Connections to the server of this run that stay: nearly every test makes a database and removes it. */
let admins: pg.Pool | undefined

async function runAsAdmin(server: string, sql: string): Promise<void> {
  if (server !== process.env.TEST_DATABASE_URL) return void (await runSql(server, sql))
  if (admins === undefined) {
    admins = new pg.Pool({ connectionString: server, max: 4, allowExitOnIdle: true })
    admins.on('error', () => {}) // the server ends before they do
  }
  await admins.query(sql)
}

export function serverUrl(): string {
  const url = process.env.TEST_DATABASE_URL
  if (url === undefined) throw new Error('STORE=postgres needs the server of test/support/postgres-server.ts')
  return url
}
