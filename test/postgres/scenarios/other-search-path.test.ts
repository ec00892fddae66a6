import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Permission } from '../../../src/operator/access/permissions.ts'
import { createToken } from '../../../src/operator/access/tokens.ts'
import { openStore } from '../../../src/stores/open.ts'
import { openPool, withClient } from '../../../src/stores/postgres/database.ts'
import { assertPathBeginsWithLedger } from '../../../src/stores/postgres/ledger-schemas.ts'
import { send } from '../../support/client.ts'
import { documentOf, runCommand, textOf } from '../../support/command-line.ts'
import { eventually } from '../../support/eventually.ts'
import { runSql, unmigratedPostgres } from '../../support/fresh-database.ts'
import { databaseOfOwnRole } from '../../support/own-role.ts'
import { copyOfSettings, leadToCopy } from '../../support/second-ledger.ts'
import { startService, temporaryFolder, type TestService } from '../../support/service.ts'
import { startProxy } from '../../support/tcp-proxy.ts'
import { masterKey } from '../../support/transfers.ts'

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

test("a temporary table does not hide the ledger's", async (t) => {
  const { database, url } = await databaseOfOwnRole()
  t.after(() => database.remove())
  const pool = openPool(url, { connectionsMax: 1, schema: () => 'public' })
  t.after(() => pool.end())
  await pool.query('CREATE TEMPORARY TABLE entries (order_id text)')
  const { rows } = await pool.query(
    "SELECT relnamespace::regnamespace::text AS schema FROM pg_class WHERE oid = to_regclass('entries')",
  )
  deepEqual(rows, [{ schema: 'public' }])
})

test("a connection that cannot be kept in the ledger's schema is used by nobody", async (t) => {
  const { database, url } = await databaseOfOwnRole()
  t.after(() => database.remove())
  let schema = 'not a schema'
  const pool = openPool(url, { connectionsMax: 1, schema: () => schema })
  t.after(() => pool.end())
  await rejects(pool.connect(), /syntax error/)
  schema = 'public'
  const { rows } = await pool.query("SELECT current_setting('search_path') AS path")
  equal(rows[0].path, 'public, pg_temp')
})

test('nobody waits for the goodbye of such a connection', async (t) => {
  const { database, url } = await databaseOfOwnRole()
  t.after(() => database.remove())
  const proxy = await startProxy(t, url)
  const pool = openPool(proxy.url, { connectionsMax: 1, schema: () => 'public' })
  t.after(() => pool.end())
  void proxy.next('SET search_path', 'is cancelled, and then all is silent')
  await rejects(pool.connect(), /canceling statement/)
  await pool.query('SELECT 1')
})

test('one that falls silent there is given up as soon as one that cannot be opened', async (t) => {
  const { database, url } = await databaseOfOwnRole()
  t.after(() => database.remove())
  const proxy = await startProxy(t, url)
  const pool = openPool(proxy.url, { connectionsMax: 1, schema: () => 'public' })
  t.after(() => pool.end())
  void proxy.next('SET search_path', 'is lost, and then all is silent')
  await rejects(pool.connect(), /timeout/)
  await pool.query('SELECT 1')
})

/** With a copy of its ledger beside it, to which the search_path of the role leads all new connections. */
async function besideItsCopy(t: TestContext) {
  const { database, role, url } = await databaseOfOwnRole()
  const service = await startService(t, { DATABASE_URL: url }, { nodes: 1, database })
  const order = { orderId: 'once', userEmail: 'ann@example.com', note: 'the same' }
  equal((await service.acme.award(order)).status, 202)
  const token = await tokenOf(service)
  await leadToCopy(database.url, role)
  await runSql(
    database.url,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role}'`,
  )
  return { ...service, database, url, order, token }
}

async function tokenOf({ config, clock }: TestService): Promise<string> {
  const store = await openStore(config.database)
  const by = { actor: 'test', now: clock.now() }
  const scopes: Permission[] = ['partners.read', 'partners.write', 'verification.read', 'verification.start']
  const token = { name: 'a script', scopes, expiresAt: clock.now() + 86_400_000, operatorId: null }
  const { secret } = await createToken({ accounts: store.operators, by }, token)
  await store.close()
  return secret
}

test('a running server stays with its ledger when the search_path of its role is changed to a copy', async (t) => {
  const { acme, database, order } = await besideItsCopy(t)
  await eventually('it has new connections', async () => {
    const { status } = await acme.award({ orderId: 'another' })
    return status === 202 || status === 200
  })
  equal((await acme.award(order)).body.code, 'DUPLICATE')
  deepEqual(await runSql(database.url, 'SELECT order_id FROM "Second".entries'), [])
})

test('so does its operator API, and a verification that it starts', async (t) => {
  const { operatorUrl, database, token } = await besideItsCopy(t)
  const ask = async (method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const { status, body: answer } = await send(`${operatorUrl}/operator/v1${path}`, {
      method,
      headers: body === undefined ? { authorization: headers.authorization } : headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    ok(status < 300, `${method} ${path}: ${status} ${answer.detail}`)
    return answer
  }

  await ask('PUT', '/defaults/caps', { perTx: 77, reason: 'a test' })
  equal((await ask('GET', '/defaults/caps')).perTx, 77)
  const perTx = (schema: string) => runSql(database.url, `SELECT per_tx::int FROM ${schema}.default_caps`)
  deepEqual(await perTx('public'), [{ per_tx: 77 }])
  deepEqual(await perTx('"Second"'), [{ per_tx: 10_000 }])
  const uses = (schema: string) => runSql(database.url, `SELECT 1 FROM ${schema}.operator_last_uses`)
  equal((await uses('public')).length, 1)
  deepEqual(await uses('"Second"'), [])

  await ask('POST', '/verification')
  let found: { state: string; entries: number } | undefined
  await eventually('it has ended', async () => {
    found = (await ask('GET', '/verification')).earlier[0]
    return found !== undefined
  })
  deepEqual([found?.state, found?.entries], ['sound', 1])
  const verified = (schema: string) => runSql(database.url, `SELECT 1 FROM ${schema}.verify_record`)
  await eventually('it is recorded', async () => (await verified('public')).length === 1)
  deepEqual(await verified('"Second"'), [])
})

test('with a second ledger that the role may use, a start and commands that change something warn, and name both schemas', async (t) => {
  const { database, role, url } = await databaseOfOwnRole()
  await runSql(database.url, copyOfSettings)
  await runSql(database.url, `GRANT CREATE ON SCHEMA public TO ${role}`)
  const run = (...args: string[]) => runCommand([...args, '--database-url', url], { cwd: temporaryFolder(t) })
  const change = () => run('defaults', 'caps', '--per-tx', '77')
  const warning =
    /the schema Second also holds a ledger that the role may use. This is the one in the schema public,/
  for (const result of [await change(), await run('migrate')])
    deepEqual([result.code, result.stderr], [0, ''], 'without USAGE, it is of no concern to the role')

  await runSql(database.url, `GRANT USAGE ON SCHEMA "Second" TO ${role}`)
  for (const result of [await change(), await run('migrate')]) {
    equal(result.code, 0, result.stderr)
    match(result.stderr, warning)
  }
  const { log } = await startService(t, { DATABASE_URL: url }, { nodes: 1, database })
  ok(log.some((line) => warning.test(line)))
  ok(log.some((line) => line.includes('"schema":"public","msg":"serving"')))
})

test('a role that lacks USAGE on the schema of the ledger hears that, and gets no second ledger', async (t) => {
  const { database, role, url } = await databaseOfOwnRole()
  t.after(() => database.remove())
  const environment = { DATABASE_URL: url, MASTER_KEY: masterKey, PORT: '0', OPERATOR_PORT: '0' }
  const run = (...args: string[]) => runCommand(args, { cwd: temporaryFolder(t), environment })
  const refuse = async (commands: string[][], reason: RegExp) => {
    for (const command of commands) {
      const { code, stdout, stderr } = await run(...command)
      deepEqual([code, stdout], [1, ''], command.join(' '))
      match(stderr, reason)
    }
  }
  await runSql(
    database.url,
    `REVOKE USAGE ON SCHEMA public FROM PUBLIC; CREATE SCHEMA "Other" AUTHORIZATION ${role}`,
  )
  const grant = `the role ${role} lacks USAGE on it: GRANT USAGE ON SCHEMA public TO ${role}`
  const reads = [['serve'], ['verify'], ['partner', 'list']]
  const lacks = new RegExp(`^partner-credit: the ledger is in the schema public, ${grant}$`, 'm')
  await refuse([['migrate'], ...reads], lacks)
  await runSql(database.url, `ALTER ROLE ${role} SET search_path = public, "Other"`)
  await refuse([['migrate'], ...reads], lacks)
  deepEqual(
    await runSql(database.url, `SELECT FROM pg_class WHERE relnamespace = '"Other"'::regnamespace`),
    [],
  )

  await runSql(database.url, `ALTER ROLE ${role} SET search_path = "Other", public`)
  await refuse(
    reads,
    new RegExp(
      `: the database is not migrated: run .* first. But if you mean the ledger in the schema public, ${grant}$`,
      'm',
    ),
  )
  match(textOf(await run('migrate')), /^migrated: 0001-ledger.sql/)
  match(textOf(await run('verify')), /^sound: 0 entries/)
})

test('behind a pooler that keeps no session, the search_path has to begin with the ledger', async (t) => {
  const { database, role, url } = await databaseOfOwnRole()
  t.after(() => database.remove())
  const check = async () => {
    const pool = openPool(url, { connectionsMax: 1 })
    try {
      await withClient(pool, assertPathBeginsWithLedger)
    } finally {
      await pool.end()
    }
  }
  await rejects(
    check,
    /search_path, and that is "\$user", public: .*\(ALTER ROLE \w+ SET search_path = public\)/,
  )
  await runSql(database.url, `ALTER ROLE ${role} SET search_path = public, "$user"`)
  await check()
})
