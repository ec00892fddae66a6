import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { openPool } from '../../../src/stores/postgres/database.ts'
import { awaitOtherChanges } from '../../../src/stores/postgres/migrate.ts'
import { migratePostgres } from '../../../src/stores/postgres/open.ts'
import { eventually } from '../../support/eventually.ts'
import { runSql, unmigratedPostgres } from '../../support/fresh-database.ts'
import { makeOlder } from '../../support/older-ledger.ts'

/** An older ledger, and a session that has read a table that the migration changes, and was forgotten. */
async function whileInUse(t: TestContext) {
  const { url, remove } = await unmigratedPostgres()
  await makeOlder(url)
  const forgotten = new pg.Client({ connectionString: url, application_name: 'a forgotten shell' })
  await forgotten.connect()
  t.after(async () => {
    await forgotten.end()
    await remove()
  })
  await forgotten.query('BEGIN; SELECT FROM tenants')
  const { rows } = await forgotten.query('SELECT pg_backend_pid() AS pid')
  const said: string[] = []
  const migrating = (totalMs: number) =>
    migratePostgres(url, { say: (line) => said.push(line), limits: { waitMs: 1_000, pauseMs: 200, totalMs } })
  const holder = new RegExp(
    `a table is in use, by session ${rows[0].pid} \\(postgres, a forgotten shell, idle in transaction, its transaction began 20`,
  )
  return { url, forgotten, migrating, said, holder }
}

const migrationsOn = (url: string) => runSql(url, 'SELECT name FROM migrations ORDER BY name')

test('a migration that waits for a table lets the others go on, names who uses it, and is made when the table is free', async (t) => {
  const { url, forgotten, migrating, said, holder } = await whileInUse(t)
  const migrated = migrating(600_000)
  await eventually('it waits', async () => {
    const waiting = await runSql(
      url,
      "SELECT FROM pg_locks WHERE relation = 'tenants'::regclass AND NOT granted",
    )
    return waiting.length > 0
  })
  // As an award does. The limit ends the test where it would wait for the forgotten session.
  await runSql(url, 'SET statement_timeout = 60000; SELECT FROM tenants')
  await eventually('it has tried several times', () => said.length > 2)
  for (const line of said) match(line, holder)

  await forgotten.query('COMMIT')
  ok((await migrated).includes('0004-sandbox-tenants.sql'))
  deepEqual(await migratePostgres(url), [])
})

test('a migration that never gets a table gives up, says who uses it and what to do, and has changed nothing', async (t) => {
  const { url, migrating, said, holder } = await whileInUse(t)
  const before = await migrationsOn(url)
  await rejects(migrating(1), (error: Error) => {
    match(error.message, /^nothing was changed: /)
    match(error.message, holder)
    match(error.message, /End that transaction \(SELECT pg_terminate_backend\(.*and run the command again$/)
    return true
  })
  deepEqual(said, [])
  deepEqual(await migrationsOn(url), before)
  equal(before.length, 1)
})

test('a migration that waits for another one says which session it waits for', async (t) => {
  const { url, remove } = await unmigratedPostgres()
  await makeOlder(url)
  const pool = openPool(url, { connectionsMax: 1 })
  const other = await pool.connect()
  t.after(async () => {
    other.release(true)
    await pool.end()
    await remove()
  })
  const said: string[] = []
  const say = (line: string) => said.push(line)
  await other.query('BEGIN')
  await awaitOtherChanges(other, say)
  const migrated = migratePostgres(url, { say })
  await eventually('it waits', () => said.length > 0)
  match(said[0]!, /by session \d+ \(postgres, partner-credit, .* goes on when that transaction has ended$/)

  await other.query('COMMIT')
  ok((await migrated).length > 0)
  equal(said.length, 1)
})

test('of two first migrations at once, the second finds the ledger of the first, also where it would have made its own elsewhere', async (t) => {
  const { url, remove } = await unmigratedPostgres()
  const pool = openPool(url, { connectionsMax: 1 })
  const other = await pool.connect()
  t.after(async () => {
    other.release(true)
    await pool.end()
    await remove()
  })
  await runSql(url, 'CREATE SCHEMA app')
  await other.query('BEGIN')
  await awaitOtherChanges(other, () => {})
  const said: string[] = []
  const migrating = async (path: string) => {
    const options = new URLSearchParams({ options: `-c search_path=${path}` })
    const waiting = said.length + 1
    const migrated = migratePostgres(`${url}?${options}`, { say: (line) => said.push(line) })
    await eventually('it waits for its turn', () => said.length === waiting)
    return { migrated }
  }
  const first = await migrating('public')
  const second = await migrating('app,public')
  await other.query('COMMIT')
  ok((await first.migrated).includes('0001-ledger.sql'))
  deepEqual(await second.migrated, [])
  deepEqual(
    await runSql(
      url,
      "SELECT relnamespace::regnamespace::text AS schema FROM pg_class WHERE relname IN ('migrations', 'entries')",
    ),
    [{ schema: 'public' }, { schema: 'public' }],
  )
})
