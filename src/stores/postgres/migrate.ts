import { type AppliedMigration, type Migration, pendingMigrations, readMigrations } from '../migrations.ts'
import { chainAudit } from './chain-audit.ts'
import { bringBack } from './citus/bring-back.ts'
import { type Client, inLongTransaction, type Pool, sqlStateOf, withClient } from './database.ts'
import {
  assertNoOtherLedger,
  assertNoStructureAlone,
  hiddenLedger,
  otherLedgerWarnings,
} from './ledger-schemas.ts'
import { stayWithLedger } from './stay-with-ledger.ts'
import { type LockPatience, retryingLocks, sessionsWith } from './lock-retries.ts'

const folder = new URL('./migrations/', import.meta.url)

/** What belongs to a file and cannot be said in SQL: run after it, in the same transaction. */
const codeSteps: Record<string, (client: Client) => Promise<void>> = {
  '0002-audit-chain-and-default-caps.sql': chainAudit,
}

/** Any number, as long as it is ours. */
const migrationLock = 7_305_112

/** Changes of tables take turns. Without a limit: nobody else waits behind the second one. */
export async function awaitOtherChanges(client: Client, say: LockPatience['say']): Promise<void> {
  const { rows } = await client.query('SELECT pg_try_advisory_xact_lock($1::bigint) AS ours', [migrationLock])
  if (rows[0].ours) return
  const holders = await sessionsWith(client, await holdersOfTurn(client))
  if (holders.length > 0)
    say(
      `the tables are being changed, or kept from changes, by ${holders.join(' and ')}. This goes on when that transaction has ended`,
    )
  await client.query('SELECT pg_advisory_xact_lock($1::bigint)', [migrationLock])
}

/** PostgreSQL shows such a lock by the halves of its number. */
async function holdersOfTurn(client: Client): Promise<number[]> {
  const { rows } = await client.query(
    `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND classid = 0::oid AND objid = $1::oid`,
    [migrationLock],
  )
  return rows.map(({ pid }) => pid)
}

/** Runs what is missing, each file once; gives the names of what it ran. The pool needs two connections. */
export async function migrate(pool: Pool, patience: LockPatience): Promise<string[]> {
  await withClient(pool, assertEncoding)
  const names = await retryingLocks(pool, patience, (limitWait) =>
    inLongTransaction(pool, (client) => migrateOn(client, limitWait, patience.say)),
  )
  for (const warning of await withClient(pool, otherLedgerWarnings)) patience.say(warning)
  return names
}

/** A server would refuse to start on it. */
async function assertEncoding(client: Client): Promise<void> {
  const { rows } = await client.query("SELECT current_setting('server_encoding') AS encoding")
  const { encoding } = rows[0]
  if (encoding === 'UTF8') return
  throw new Error(
    `the database's encoding is ${encoding} and must be UTF8: create another one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`,
  )
}

async function migrateOn(
  client: Client,
  limitWait: (client: Client) => Promise<void>,
  say: LockPatience['say'],
): Promise<string[]> {
  await awaitOtherChanges(client, say)
  await limitWait(client)
  await client.query(stayWithLedger) // whoever had the turn before may have made it
  await assertNoOtherLedger(client, null)
  await client.query(`CREATE TABLE IF NOT EXISTS migrations (
      name text PRIMARY KEY, sha256 text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`)
  const pending = await pendingOn(client)
  // Citus refuses some changes of tables that it has copied; those of the small tables are plain tables here.
  if (pending.length > 0) await bringBack(client)
  // Citus asks for it where a table is distributed already; ours only refuse. Elsewhere nobody reads it.
  await client.query('SET LOCAL citus.enable_unsafe_triggers TO on')
  for (const { name, sha256, sql } of pending) {
    for (const statement of statementsOf(sql)) await client.query(statement)
    await codeSteps[name]?.(client)
    await client.query('INSERT INTO migrations (name, sha256) VALUES ($1, $2)', [name, sha256])
  }
  return pending.map(({ name }) => name)
}

/**
 * One by one: Citus passes the whole text of a message on to its nodes for every table in it that is distributed
 * already. A semicolon ends a statement, unless it is in a comment, a text or the body of a function.
 */
export function statementsOf(sql: string): string[] {
  const statements = sql.match(/(?:--[^\n]*|\$\$[\s\S]*?\$\$|'[^']*'|[^;])+/g) ?? []
  return statements.filter((text) => text.replaceAll(/--[^\n]*/g, '').trim() !== '')
}

/** Migrating a shared database is an operator's decision: everyone else only makes sure that it was done. */
export async function assertMigrated(client: Client, known: string | null): Promise<void> {
  await assertNoOtherLedger(client, known)
  // Where `migrate` would make it: another program's, elsewhere in the path, does not count.
  const { rows } = await client.query(`
    SELECT EXISTS (SELECT FROM pg_class WHERE relname = 'migrations'
      AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())) AS exist`)
  const pending = rows[0].exist ? await pendingOn(client) : readMigrations(folder)
  if (pending.length === 0) return
  const hidden = rows[0].exist ? null : await hiddenLedger(client)
  throw new Error(
    `the database is not migrated: run node bin/partner-credit.js migrate first${hidden === null ? '' : `. But ${hidden}`}`,
  )
}

/** The schema of the ledger, quoted where SQL needs it. After `assertMigrated`. */
export async function schemaOf(client: Client): Promise<string> {
  const { rows } = await client.query(
    "SELECT relnamespace::regnamespace::text AS schema FROM pg_class WHERE oid = to_regclass('migrations')::oid",
  )
  return rows[0].schema
}

async function pendingOn(client: Client): Promise<Migration[]> {
  const applied = await client.query('SELECT name, sha256 FROM migrations').catch((error) => {
    if (/^(42703|42809)$/.test(sqlStateOf(error) ?? '')) throw new Error(migrationsOfOther) // other columns, or no table
    throw error
  })
  if (applied.rows.length === 0) await assertNoStructureAlone(client)
  return pendingMigrations(readMigrations(folder), applied.rows as AppliedMigration[])
}

const migrationsOfOther =
  'where the search_path leads, another program has its migrations: give the ledger a database of its own, or a role of its own whose search_path leads to a schema of its own'
