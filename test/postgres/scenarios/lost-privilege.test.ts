import { equal, match, ok, rejects } from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
import { systemClock } from '../../../src/clock.ts'
import { servePostgres } from '../../../src/stores/postgres/open.ts'
import { send } from '../../support/client.ts'
import { runProcess } from '../../support/command-line.ts'
import { eventually } from '../../support/eventually.ts'
import { runSql } from '../../support/fresh-database.ts'
import { assertUnavailable } from '../../support/problem-assertions.ts'
import { databaseOfOwnRole } from '../../support/own-role.ts'
import { startService } from '../../support/service.ts'

test('a server whose role has lost a privilege that awards need, or whose tables are no longer safe', async (t) => {
  const { database, role, url } = await databaseOfOwnRole()
  const service = await startService(t, { DATABASE_URL: url }, { nodes: 1, database })
  const readyz = () => send(`${service.operatorUrl}/readyz`)
  equal((await service.acme.award()).status, 202)
  const assertLacks = (what: string) =>
    eventually('not ready', async () => {
      const notReady = await readyz()
      if (notReady.status === 200) return false // from before, up to a second old
      assertUnavailable(notReady, 'operator')
      match(notReady.body.detail, new RegExp(`: the role lacks the privilege ${what}: GRANT`))
      return true
    })

  for (const [privilege, table] of [
    ['INSERT', 'entries'],
    ['UPDATE', 'accounts'],
    ['SELECT', 'user_days'],
    ['DELETE', 'user_days'],
    ['SELECT', 'grants'],
    ['SELECT', 'audit_head'],
  ]) {
    await t.test(
      `${privilege} on ${table}: is not ready, says which, and is ready again with it`,
      async () => {
        await runSql(database.url, `REVOKE ${privilege} ON ${table} FROM ${role}`)
        await assertLacks(`${privilege} on ${table}`)
        await runSql(database.url, `GRANT ${privilege} ON ${table} TO ${role}`)
        await eventually('ready again', async () => (await readyz()).status === 200)
      },
    )
  }

  for (const [harm, repair, words] of [
    [
      'entries SET UNLOGGED',
      'entries SET LOGGED',
      /the table entries is unlogged, and a crash would empty it/,
    ],
    [
      'user_days ENABLE ROW LEVEL SECURITY',
      'user_days DISABLE ROW LEVEL SECURITY',
      /row security hides rows of the table user_days from the role/,
    ],
  ] as const) {
    await t.test(`ALTER TABLE ${harm}: is not ready, says so, and is ready again afterwards`, async () => {
      await runSql(database.url, `ALTER TABLE ${harm}`)
      await eventually('not ready', async () => {
        const { status, body } = await readyz()
        if (status === 200) return false // from before, up to a second old
        match(body.detail, words)
        return true
      })
      await runSql(database.url, `ALTER TABLE ${repair}`)
      await eventually('ready again', async () => (await readyz()).status === 200)
    })
  }

  await t.test(
    'responds to awards with 503, names the reason in its log only, and continues with it',
    async () => {
      await runSql(database.url, `REVOKE INSERT ON entries FROM ${role}`)
      const order = { orderId: 'later' }
      const refused = await service.acme.award(order)
      assertUnavailable(refused)
      ok(!JSON.stringify(refused.body).includes('permission'))
      ok(service.log.some((line) => line.includes('permission denied for table entries')))
      await runSql(database.url, `GRANT INSERT ON entries TO ${role}`)
      await eventually('awards go through', async () => (await service.acme.award(order)).status === 202)
    },
  )

  await t.test(
    'USAGE on the schema: is not ready, says so, responds with 503, and continues with it',
    async () => {
      await runSql(database.url, 'REVOKE USAGE ON SCHEMA public FROM PUBLIC')
      const order = { orderId: 'schema' }
      assertUnavailable(await service.acme.award(order))
      assertUnavailable(await service.acme.history('t1'))
      await eventually('not ready', async () => {
        const notReady = await readyz()
        if (notReady.status === 200) return false // from before, up to a second old
        match(
          notReady.body.detail,
          /no longer finds the table accounts: GRANT it USAGE on the ledger's schema/,
        )
        return true
      })
      await runSql(database.url, 'GRANT USAGE ON SCHEMA public TO PUBLIC')
      await eventually('awards go through', async () => (await service.acme.award(order)).status === 202)
      await eventually('ready again', async () => (await readyz()).status === 200)
    },
  )

  for (const [privilege, table, columns] of [
    ['INSERT', 'entries', 'order_id, partner_id'],
    ['INSERT', 'accounts', 'partner_id'],
    ['UPDATE', 'accounts', 'seq'],
    ['UPDATE', 'user_days', 'tenant_id'],
    ['SELECT', 'entries', 'order_id'],
    ['SELECT', 'grants', 'partner_id'],
  ]) {
    await t.test(`${privilege} on ${table}, but for some columns: the same`, async () => {
      await runSql(
        database.url,
        `REVOKE ${privilege} ON ${table} FROM ${role}; GRANT ${privilege} (${columns}) ON ${table} TO ${role}`,
      )
      await assertLacks(`${privilege} on ${table}`)
      await runSql(database.url, `GRANT ${privilege} ON ${table} TO ${role}`)
      await eventually('ready again', async () => (await readyz()).status === 200)
    })
  }
})

test('a role that may read the ledger, and not see the sessions of the database, can verify it', async (t) => {
  const { database, url } = await databaseOfOwnRole()
  t.after(database.remove)
  await runSql(database.url, 'REVOKE SELECT ON pg_stat_activity FROM PUBLIC')
  const environment = { DATABASE_URL: url }
  const { code, stderr, stdout } = await runProcess(['verify', '--json'], { cwd: tmpdir(), environment })
  equal(code, 0, stderr)
  equal(JSON.parse(stdout).sound, true)
})

test('a server does not start with a privilege for some columns only', async (t) => {
  const { database, role, url } = await databaseOfOwnRole()
  t.after(() => database.remove())
  await runSql(
    database.url,
    `REVOKE INSERT ON entries FROM ${role}; GRANT INSERT (order_id, partner_id) ON entries TO ${role}`,
  )
  await rejects(
    servePostgres(url, { caps: {}, clock: systemClock, warn: () => {} }),
    /the role lacks the privilege INSERT on entries: GRANT it to the role, for the whole table/,
  )
})

test('a server whose role is refused: the operator’s readyz says why, a partner learns nothing of it', async (t) => {
  const { database, role, url } = await databaseOfOwnRole()
  const service = await startService(t, { DATABASE_URL: url }, { nodes: 1, database })
  equal((await service.acme.award()).status, 202)
  await runSql(
    database.url,
    `ALTER ROLE ${role} NOLOGIN; SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role}'`,
  )
  await eventually('it says why', async () => {
    const { body } = await send(`${service.operatorUrl}/readyz`)
    return body.detail?.includes(`rejects the role "${role}"`)
  })
  const refused = await service.acme.award({ orderId: 'later' })
  assertUnavailable(refused)
  ok(!JSON.stringify(refused.body).includes(role))
  await runSql(database.url, `ALTER ROLE ${role} LOGIN`)
  await eventually(
    'awards go through',
    async () => (await service.acme.award({ orderId: 'later' })).status === 202,
  )
})
