import assert, { deepEqual, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { documentOf, runCommand, textOf } from '../support/command-line.ts'
import { freshPostgres, runSql, unmigratedPostgres } from '../support/fresh-database.ts'
import { startService, temporaryFolder } from '../support/service.ts'
import { masterKey } from '../support/transfers.ts'

test('a ledger in a schema of any name is sound', async (t) => {
  const { url, remove } = await unmigratedPostgres()
  t.after(remove)
  const run = (...args: string[]) =>
    runCommand(args, { cwd: temporaryFolder(t), environment: { DATABASE_URL: url } })
  await runSql(url, `CREATE SCHEMA "Partner-Credit, ""live"""; ${searchPath('"Partner-Credit, ""live"""')}`)
  assert.notDeepEqual(documentOf(await run('migrate', '--json')), { migrated: [] })
  assert.match(textOf(await run('verify')), /^sound: 0 entries/)
})

test('tables of the same names in a schema that comes first are used by nobody, if one of the ledger is missing there', async (t) => {
  const database = await freshPostgres()
  const { url } = database
  const tables = await runSql(
    url,
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'migrations'",
  )
  const copies = tables.map(
    ({ name }) =>
      `CREATE TABLE other.${name} (LIKE public.${name} INCLUDING ALL);
       INSERT INTO other.${name} OVERRIDING SYSTEM VALUE SELECT * FROM public.${name}`,
  )
  await runSql(url, `CREATE SCHEMA other; ${copies.join('; ')}; ${searchPath('other, public')}`)
  const { acme, lookNow } = await startService(t, { DATABASE_URL: url }, { nodes: 1, database })
  const change = async (...args: string[]) => {
    const { code, stderr } = await runCommand([...args, '--database-url', url], { cwd: temporaryFolder(t) })
    equal(code, 0, stderr)
  }
  equal((await acme.award()).status, 202)
  await change('partner', 'suspend', 'acme', '--reason', 'its key was stolen')
  await change('defaults', 'caps', '--per-tx', '77')
  await lookNow()
  equal((await acme.award()).status, 403)
  const rows = (schema: string) =>
    runSql(
      url,
      `SELECT (SELECT count(*)::int FROM ${schema}.entries) AS entries, per_tx::int AS cap FROM ${schema}.default_caps`,
    )
  deepEqual(await rows('public'), [{ entries: 1, cap: 77 }])
  deepEqual(await rows('other'), [{ entries: 0, cap: 10_000 }])
  match(
    textOf(await runCommand(['verify', '--database-url', url], { cwd: temporaryFolder(t) })),
    /^sound: 1 entry/,
  )
})

test("another program's table migrations in a schema that comes first hides no ledger, and prevents none", async (t) => {
  const { url, remove } = await unmigratedPostgres()
  t.after(remove)
  const run = (...args: string[]) =>
    runCommand(args, { cwd: temporaryFolder(t), environment: { DATABASE_URL: url, MASTER_KEY: masterKey } })
  await runSql(
    url,
    `CREATE SCHEMA first; CREATE SCHEMA blog; CREATE TABLE blog.migrations (id int);
     ${searchPath('first, blog')}`,
  )
  match(textOf(await run('migrate')), /^migrated: 0001-ledger.sql/)
  await run('partner', 'create', '--id', 'acme', '--name', 'Acme', '--tenant', 't1')
  await runSql(url, searchPath('blog, first'))
  for (const made of [
    '',
    'DROP TABLE blog.migrations; CREATE TABLE blog.migrations AS SELECT * FROM first.migrations',
  ]) {
    if (made !== '') await runSql(url, made)
    match(textOf(await run('verify')), /^sound: 0 entries/)
    match(textOf(await run('partner', 'list')), /acme/)
    equal((await run('migrate')).stdout, 'nothing to migrate\n')
  }
  await runSql(url, 'DROP TABLE first.user_days')
  match((await run('verify')).stdout, /the table user_days is missing/)
})

test("a schema before PostgreSQL's own in the search_path deceives neither verify nor a start", async (t) => {
  const { url, remove } = await unmigratedPostgres()
  t.after(remove)
  const environment = { DATABASE_URL: url, MASTER_KEY: masterKey, PORT: '0', OPERATOR_PORT: '0' }
  const run = (...args: string[]) => runCommand(args, { cwd: temporaryFolder(t), environment })
  await run('migrate')
  await runSql(
    url,
    `CREATE SCHEMA before;
     CREATE VIEW before.pg_trigger AS
       SELECT oid, tgrelid, tgname, tgfoid, 'O'::"char" AS tgenabled, tgisinternal FROM pg_catalog.pg_trigger;
     CREATE FUNCTION before.current_setting(text) RETURNS text LANGUAGE sql AS
       $$ SELECT CASE $1 WHEN 'array_nulls' THEN 'on' ELSE pg_catalog.current_setting($1) END $$;
     ALTER TABLE entries DISABLE TRIGGER entries_are_never_changed;
     ${ofDatabase('search_path = before, pg_catalog, public')}; ${ofDatabase('array_nulls = off')}`,
  )
  match((await run('serve')).stderr, /array_nulls is off and must be on/)
  const { code, stdout } = await run('verify')
  equal(code, 1)
  match(stdout, /the trigger entries_are_never_changed is disabled/)
})

function searchPath(schemas: string): string {
  return ofDatabase(`search_path = ${schemas}`)
}

function ofDatabase(setting: string): string {
  return `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET ${setting}', current_database()); END $$`
}
