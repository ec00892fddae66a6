import { equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { send } from '../../support/client.ts'
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

  for (const [privilege, table] of [
    ['INSERT', 'entries'],
    ['UPDATE', 'accounts'],
    ['SELECT', 'user_days'],
    ['DELETE', 'user_days'],
    ['SELECT', 'grants'],
  ]) {
    await t.test(
      `${privilege} on ${table}: is not ready, says which, and is ready again with it`,
      async () => {
        await runSql(database.url, `REVOKE ${privilege} ON ${table} FROM ${role}`)
        await eventually('not ready', async () => {
          const notReady = await readyz()
          if (notReady.status === 200) return false // from before, up to a second old
          assertUnavailable(notReady, 'operator')
          match(
            notReady.body.detail,
            new RegExp(`: the role lacks the privilege ${privilege} on ${table}: GRANT`),
          )
          return true
        })
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

  await t.test('for some columns only is not reported: it may be all that is needed', async () => {
    await runSql(
      database.url,
      `REVOKE UPDATE ON accounts FROM ${role};
       GRANT UPDATE (seq, head_hash, awarded_at, day, day_points) ON accounts TO ${role}`,
    )
    const [{ all, used }] = await runSql(
      database.url,
      `SELECT string_agg(column_name, ', ') AS all,
         string_agg(column_name, ', ') FILTER (WHERE column_name NOT IN ('salt', 'commitment', 'hash')) AS used
       FROM information_schema.columns WHERE table_name = 'entries'`,
    )
    await runSql(
      database.url,
      `REVOKE ALL ON entries FROM ${role}; GRANT INSERT (${all}), SELECT (${used}) ON entries TO ${role}`,
    )
    equal((await service.acme.award({ orderId: 'columns' })).status, 202)
    service.clock.advance(5_000) // the award does not count any more
    await sleep(1_100) // nor does the last check
    equal((await readyz()).status, 200)
  })
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
