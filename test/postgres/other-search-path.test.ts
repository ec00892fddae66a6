import { deepEqual, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { documentOf, runCommand, textOf } from '../support/command-line.ts'
import { eventually } from '../support/eventually.ts'
import { runSql, unmigratedPostgres } from '../support/fresh-database.ts'
import { databaseOfOwnRole } from '../support/own-role.ts'
import { startService, temporaryFolder } from '../support/service.ts'
import { masterKey } from '../support/transfers.ts'

test('a role whose search_path was changed gets no second ledger, and every command names both schemas', async (t) => {
  const { database, role, url } = await databaseOfOwnRole()
  t.after(() => database.remove())
  const environment = { DATABASE_URL: url, MASTER_KEY: masterKey, PORT: '0', OPERATOR_PORT: '0' }
  const run = (...args: string[]) => runCommand(args, { cwd: temporaryFolder(t), environment })
  match(textOf(await run('verify')), /^sound: 0 entries/)
  await runSql(
    database.url,
    `CREATE SCHEMA "Other" AUTHORIZATION ${role}; ALTER ROLE ${role} SET search_path = "Other"`,
  )
  for (const command of [['migrate'], ['serve'], ['verify'], ['partner', 'list'], ['find', 'x']]) {
    const { code, stdout, stderr } = await run(...command)
    deepEqual([code, stdout], [1, ''], command.join(' '))
    match(
      stderr,
      /^partner-credit: the ledger is in the schema public, and the search_path "Other" leads to the schema Other: set the search_path /m,
    )
  }
  const made = await runSql(database.url, `SELECT FROM pg_class WHERE relnamespace = '"Other"'::regnamespace`)
  deepEqual(made, [])

  await runSql(database.url, `ALTER ROLE ${role} SET search_path = nowhere`)
  match((await run('migrate')).stderr, /public, and the search_path nowhere leads to no schema: set/)
  await runSql(database.url, `ALTER ROLE ${role} RESET search_path`)
  match(textOf(await run('verify')), /^sound: 0 entries/)
})

test("another program's tables of the same names prevent no ledger", async (t) => {
  const { url, remove } = await unmigratedPostgres()
  t.after(remove)
  const run = (...args: string[]) =>
    runCommand(args, { cwd: temporaryFolder(t), environment: { DATABASE_URL: url } })
  await runSql(
    url,
    'CREATE SCHEMA blog; CREATE TABLE blog.migrations (id int); CREATE TABLE blog.entries (id int)',
  )
  const { migrated } = documentOf(await run('migrate', '--json')) as { migrated: string[] }
  equal(migrated[0], '0001-ledger.sql')
})

/** A copy of the ledger without its entries, as somebody might restore one beside it. */
const copyOfSettings = `
  CREATE SCHEMA "Second";
  DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
      EXECUTE format('CREATE TABLE "Second".%I (LIKE public.%I INCLUDING ALL)', name, name);
      IF name NOT IN ('entries', 'accounts', 'user_days') THEN
        EXECUTE format('INSERT INTO "Second".%I OVERRIDING SYSTEM VALUE SELECT * FROM public.%I', name, name);
      END IF;
    END LOOP;
  END $$`

test('a running server stays with its ledger when the search_path of its role is changed to a copy', async (t) => {
  const { database, role, url } = await databaseOfOwnRole()
  const { acme } = await startService(t, { DATABASE_URL: url }, { nodes: 1, database })
  const order = { orderId: 'once', userEmail: 'ann@example.com', note: 'the same' }
  equal((await acme.award(order)).status, 202)
  await runSql(database.url, copyOfSettings)
  await runSql(
    database.url,
    `GRANT USAGE ON SCHEMA "Second" TO ${role}; GRANT ALL ON ALL TABLES IN SCHEMA "Second" TO ${role};
     ALTER ROLE ${role} SET search_path = "Second"`,
  )
  await runSql(
    database.url,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role}'`,
  )

  await eventually('it has new connections', async () => {
    const { status } = await acme.award({ orderId: 'another' })
    return status === 202 || status === 200
  })
  equal((await acme.award(order)).body.code, 'DUPLICATE')
  deepEqual(await runSql(database.url, 'SELECT order_id FROM "Second".entries'), [])
})
