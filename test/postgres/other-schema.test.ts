import assert, { deepEqual, equal, match } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { documentOf, runCommand, textOf } from '../support/command-line.ts'
import { freshPostgres, runSql, unmigratedPostgres } from '../support/fresh-database.ts'
import { databaseOfOwnRole } from '../support/own-role.ts'
import { copyOfSettings } from '../support/second-ledger.ts'
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

for (const lost of ['migrations', 'user_days'])
  test(`a start and commands refuse where a ledger without its table ${lost} comes first, and a running server stays with its own`, async (t) => {
    const { database, role, url } = await databaseOfOwnRole()
    const service = await startService(t, { DATABASE_URL: url }, { nodes: 1, database })
    const { acme } = service
    const order = { orderId: 'once', userEmail: 'ann@example.com' }
    equal((await acme.award(order)).status, 202)
    await runSql(
      database.url,
      `${copyOfSettings}; DROP TABLE "Second".${lost}; GRANT USAGE ON SCHEMA "Second" TO ${role};
       GRANT ALL ON ALL TABLES IN SCHEMA "Second" TO ${role}; ALTER ROLE ${role} SET search_path = "Second", public`,
    )
    const run = commandsOf(t, url)
    for (const command of everyKindOfCommand) {
      const { code, stdout, stderr } = await run(...command)
      deepEqual([code, stdout], [1, ''], command.join(' '))
      match(
        stderr,
        new RegExp(
          `the schema Second comes before public in the search_path "Second", public. It holds a part of a ledger, without its table ${lost}: restore it. Or, .* set the search_path to public `,
        ),
      )
    }
    equal((await acme.award(order)).body.code, 'DUPLICATE')
    match(
      textOf(await runCommand(['verify', '--database-url', database.url], { cwd: temporaryFolder(t) })),
      /^sound: 1 /,
    )

    await runSql(database.url, `ALTER ROLE ${role} SET search_path = public`)
    match(textOf(await run('verify')), /^sound: 1 entry/)
  })

test('so do they where the role may not use a ledger that comes first', async (t) => {
  const { database, role, url } = await databaseOfOwnRole()
  t.after(() => database.remove())
  await runSql(database.url, `${copyOfSettings}; ALTER ROLE ${role} SET search_path = "Second", public`)
  const run = commandsOf(t, url)
  for (const command of everyKindOfCommand) {
    const { code, stdout, stderr } = await run(...command)
    deepEqual([code, stdout], [1, ''], command.join(' '))
    match(
      stderr,
      new RegExp(
        `comes before public .* It holds a ledger, but the role ${role} lacks USAGE on it: GRANT USAGE ON SCHEMA "Second" TO ${role}. Or, `,
      ),
    )
  }
})

test('a copy of the tables without their rows that comes first is told, and where the ledger is', async (t) => {
  const database = await freshPostgres()
  t.after(() => database.remove())
  await runSql(
    database.url,
    `${copyOfSettings}; DELETE FROM "Second".migrations; ${searchPath('"Second", public')}`,
  )
  const run = commandsOf(t, database.url)
  const told =
    /the schema Second, to which the search_path "Second", public leads, has tables of a ledger, and its table migrations shows no row, .*: restore it, or, .* Or, if the ledger is the one in public, set the search_path to public /
  for (const command of everyKindOfCommand) match((await run(...command)).stderr, told, command.join(' '))
  await runSql(database.url, searchPath('public'))
  match(textOf(await run('verify')), /^sound: 0 entries/)
})

test('a ledger that has lost its table migrations is not made once more', async (t) => {
  const database = await freshPostgres()
  t.after(() => database.remove())
  await runSql(database.url, 'DROP TABLE migrations')
  const run = commandsOf(t, database.url)
  for (const command of everyKindOfCommand)
    match(
      (await run(...command)).stderr,
      /the schema public holds a part of a ledger, without its table migrations: restore it, or, /,
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

for (const columns of ['id serial, migration text', 'name text, sha256 text'])
  test(`another program's table migrations (${columns}) where the search_path leads is not taken for a ledger that is elsewhere`, async (t) => {
    const { url, remove } = await unmigratedPostgres()
    t.after(remove)
    const run = commandsOf(t, url)
    await runSql(
      url,
      `CREATE SCHEMA blog; CREATE TABLE blog.migrations (${columns}); CREATE SCHEMA first; ${searchPath('first')}`,
    )
    match(textOf(await run('migrate')), /^migrated: 0001-ledger.sql/)
    await runSql(url, searchPath('blog'))
    for (const command of everyKindOfCommand)
      match(
        (await run(...command)).stderr,
        /the ledger is in the schema first, and the search_path blog leads to the schema blog: set the search_path/,
        command.join(' '),
      )
  })

test("another program's tables of these names later in the search_path prevent no first ledger", async (t) => {
  const { url, remove } = await unmigratedPostgres()
  t.after(remove)
  const run = commandsOf(t, url)
  await runSql(
    url,
    `CREATE SCHEMA crm; CREATE TABLE crm.migrations (id serial, migration text); CREATE SCHEMA ledger; ${searchPath('ledger, crm')}`,
  )
  for (const table of [
    '',
    'CREATE TABLE crm.accounts (id bigint); CREATE TABLE crm.audit (audit_id bigint); CREATE VIEW crm.entries AS SELECT 1 AS id',
  ]) {
    await runSql(url, table)
    match((await run('verify')).stderr, /not migrated: run node bin\/partner-credit.js migrate first/)
  }
  match(textOf(await run('migrate')), /^migrated: 0001-ledger.sql/)
  match(textOf(await run('verify')), /^sound: 0 entries/)
})

test('a ledger is not made beside the table migrations of another program, and the refusal says what to do', async (t) => {
  const { url, remove } = await unmigratedPostgres()
  t.after(remove)
  const run = commandsOf(t, url)
  for (const theirs of [
    'CREATE TABLE migrations (id serial, migration text)',
    'DROP TABLE migrations; CREATE TABLE x (y int); CREATE INDEX migrations ON x (y)',
  ]) {
    await runSql(url, theirs)
    for (const command of [['migrate'], ['serve']])
      match((await run(...command)).stderr, /another program has its migrations: give the ledger a database/)
  }
})

test("another program's table audit prevents no ledger", async (t) => {
  const { url, remove } = await unmigratedPostgres()
  t.after(remove)
  await runSql(
    url,
    `CREATE SCHEMA crm; CREATE TABLE crm.audit (audit_id bigint, action text); CREATE SCHEMA ledger; ${searchPath('ledger, crm')}`,
  )
  const run = commandsOf(t, url)
  match(textOf(await run('migrate')), /^migrated: 0001-ledger.sql/)
  await runSql(url, searchPath('crm, ledger'))
  match(textOf(await run('verify')), /^sound: 0 entries/)
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

const everyKindOfCommand = [
  ['serve'],
  ['migrate'],
  ['verify'],
  ['partner', 'suspend', 'acme', '--reason', 'its key was stolen'],
  ['find', 'x'],
  ['refusals'],
  ['export', '--out', 'out.ndjson'],
]

function commandsOf(t: TestContext, url: string) {
  const environment = { DATABASE_URL: url, MASTER_KEY: masterKey, PORT: '0', OPERATOR_PORT: '0' }
  return (...args: string[]) => runCommand(args, { cwd: temporaryFolder(t), environment })
}

function searchPath(schemas: string): string {
  return ofDatabase(`search_path = ${schemas}`)
}

function ofDatabase(setting: string): string {
  return `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET ${setting}', current_database()); END $$`
}
