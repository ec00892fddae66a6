import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import pino from 'pino'
import { readConfig } from '../../src/config.ts'
import { serve } from '../../src/serve.ts'
import { send } from '../support/client.ts'
import { killSessions, urlOf } from '../support/database-sessions.ts'
import { eventually } from '../support/eventually.ts'
import { freshPostgres, runSql } from '../support/fresh-database.ts'
import { startOwnPostgres } from '../support/own-postgres.ts'
import { assertUnavailable } from '../support/problem-assertions.ts'
import { startService } from '../support/service.ts'

/** Starts it and, if that succeeds unexpectedly, stops it again. */
async function start(url: string): Promise<void> {
  const config = readConfig({
    PORT: '0',
    OPERATOR_PORT: '0',
    DATABASE_URL: url,
    MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  })
  const service = await serve(config, { log: pino({ enabled: false }) })
  await service.stop()
}

/** Each keeps what it promises no longer: a crash would empty it, or an order be credited twice. */
const unsafeTables: [what: string, harm: string, repair: string, words: RegExp][] = [
  [
    'with an unlogged table',
    'ALTER TABLE entries SET UNLOGGED',
    'ALTER TABLE entries SET LOGGED',
    /the table entries is unlogged, and a crash would empty it: ALTER TABLE entries SET LOGGED/,
  ],
  [
    'without the constraint by which an order is credited once',
    'ALTER TABLE entries DROP CONSTRAINT entries_by_order',
    'ALTER TABLE entries ADD CONSTRAINT entries_by_order UNIQUE (partner_id, order_id)',
    /the table entries lacks its constraint UNIQUE \(partner_id, order_id\): run verify/,
  ],
  ...[
    'UNIQUE (partner_id, order_id) DEFERRABLE',
    'UNIQUE (partner_id, ep_transaction_id) INCLUDE (order_id)',
  ].map((other): [string, string, string, RegExp] => [
    `with ${other} in place of that constraint`,
    `ALTER TABLE entries DROP CONSTRAINT entries_by_order; ALTER TABLE entries ADD CONSTRAINT entries_by_order ${other}`,
    'ALTER TABLE entries DROP CONSTRAINT entries_by_order; ALTER TABLE entries ADD CONSTRAINT entries_by_order UNIQUE (partner_id, order_id)',
    /the table entries lacks its constraint UNIQUE \(partner_id, order_id\): run verify/,
  ]),
]

const nameOf = (url: string) => new URL(url).pathname.slice(1)

test('a server refuses to start on a database', async (t) => {
  const postgres = await startOwnPostgres(t)
  const database = await freshPostgres(postgres.url)

  for (const setting of ['fsync', 'full_page_writes']) {
    await t.test(`with ${setting} off`, async () => {
      await postgres.set({ [setting]: 'off' })
      await rejects(start(database.url), new RegExp(`${setting} is off and must be on`))
      await postgres.set({ [setting]: null })
      await start(database.url)
    })
  }

  for (const value of ['off', 'local']) {
    await t.test(`with synchronous_commit ${value}`, async () => {
      await runSql(postgres.url, `ALTER DATABASE ${nameOf(database.url)} SET synchronous_commit = ${value}`)
      await rejects(start(database.url), new RegExp(`synchronous_commit is ${value} and must be on`))
      await runSql(postgres.url, `ALTER DATABASE ${nameOf(database.url)} RESET synchronous_commit`)
    })
  }

  await t.test('that knows no UTF-8', async () => {
    await runSql(
      postgres.url,
      `CREATE DATABASE bytes ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0`,
    )
    const url = Object.assign(new URL(postgres.url), { pathname: '/bytes' }).href
    await rejects(start(url), /encoding is SQL_ASCII and must be UTF8/)
  })

  await t.test('that is not migrated, and names the command', async () => {
    await runSql(postgres.url, `CREATE DATABASE empty ENCODING 'UTF8' TEMPLATE template0`)
    const url = Object.assign(new URL(postgres.url), { pathname: '/empty' }).href
    await rejects(start(url), /not migrated: run node bin\/partner-credit\.js migrate/)
  })

  await t.test('of another application, whose tables it does not tell anybody to change', async () => {
    await runSql(postgres.url, `CREATE DATABASE shop ENCODING 'UTF8' TEMPLATE template0`)
    const url = Object.assign(new URL(postgres.url), { pathname: '/shop' }).href
    await runSql(
      url,
      'CREATE UNLOGGED TABLE accounts (id int); CREATE TABLE entries (id int); CREATE TABLE migrations (id int)',
    )
    await rejects(start(url), (error: Error) => !/ALTER|entries|accounts/.test(error.message))
  })

  await t.test('that is read-only', async () => {
    const name = nameOf(database.url)
    await runSql(postgres.url, `ALTER DATABASE ${name} SET default_transaction_read_only = on`)
    await rejects(start(database.url), /the database cannot be used: it is read-only/)
    await runSql(postgres.url, `ALTER DATABASE ${name} RESET default_transaction_read_only`)
  })

  for (const [what, harm, repair, words] of unsafeTables) {
    await t.test(what, async () => {
      await runSql(database.url, harm)
      await rejects(start(database.url), words)
      await runSql(database.url, repair)
      await start(database.url)
    })
  }

  await t.test('that is away, within about a second and in words', async () => {
    const url = Object.assign(new URL(database.url), { port: '1' }).href
    await rejects(start(url), /the database cannot be reached/)
  })
})

test('a running server', async (t) => {
  const service = await startService(t, {}, { nodes: 1 })
  const url = urlOf(service)
  const elsewhere = Object.assign(new URL(url), { pathname: '/postgres' }).href
  const name = nameOf(url)
  const readyz = () => send(`${service.operatorUrl}/readyz`)

  await t.test(
    'says in /readyz and in its log that there is no synchronous standby and that the clocks differ',
    async () => {
      const { status, body } = await readyz()
      equal(`${status} ${body.status}`, '200 ready')
      const warned = [
        /no synchronous standby is configured/,
        /our clock is [0-9.]+ s (ahead of|behind) the database's/,
      ]
      const logged = service.log
        .filter((line) => JSON.parse(line).level === 40)
        .map((line) => JSON.parse(line).msg)
      for (const words of warned) {
        ok(body.warnings.some((warning: string) => words.test(warning)))
        ok(logged.some((message) => words.test(message)))
      }
    },
  )

  await t.test('tells strangers no more than that it is ready', async () => {
    deepEqual((await send(`${service.url}/readyz`)).body, { status: 'ready' })
  })

  await t.test('does not warn of a clock that is right', async () => {
    // A response is up to a second old. The clock stands still: a second after it was set, it is wrong.
    await eventually('one warning', async () => {
      service.clock.set(Date.now())
      return (await readyz()).body.warnings.length === 1
    })
    match((await readyz()).body.warnings[0], /no synchronous standby/)
  })

  const changes: [setting: string, value: string, words: RegExp][] = [
    ['default_transaction_read_only', 'on', /it is read-only/],
    ['synchronous_commit', 'off', /synchronous_commit is off/],
  ]
  for (const [setting, value, words] of changes) {
    await t.test(`is not ready once ${setting} is ${value}, and ready again afterwards`, async () => {
      await runSql(elsewhere, `ALTER DATABASE ${name} SET ${setting} = ${value}`)
      await killSessions(url)
      // The first request may use a connection that was killed; then there are new ones, with the new setting.
      await eventually(`not ready: ${words}`, async () => {
        const notReady = await readyz()
        if (notReady.status === 200) return false // from before, up to a second old
        assertUnavailable(notReady, 'operator')
        return words.test(notReady.body.detail)
      })
      await runSql(elsewhere, `ALTER DATABASE ${name} RESET ${setting}`)
      // Sessions that began before keep their settings.
      await killSessions(url)
      await eventually('ready again', async () => (await readyz()).status === 200, { withinMs: 5_000 })
    })
  }

  await t.test(
    'decides nothing on a database that has become read-only, and continues when it is writable again',
    async () => {
      equal((await service.acme.award({ orderId: 'known' })).status, 202)
      const order = { orderId: 'fresh', userEmail: 'lan@example.vn' }
      await runSql(elsewhere, `ALTER DATABASE ${name} SET default_transaction_read_only = on`)
      await killSessions(url)
      const before = await service.dump()
      assertUnavailable(await service.acme.award(order))
      assertUnavailable(await service.acme.award({ orderId: 'known' }))
      equal(await service.dump(), before)
      await runSql(elsewhere, `ALTER DATABASE ${name} RESET default_transaction_read_only`)
      await eventually('awards go through', async () => (await service.acme.award(order)).status === 202)
    },
  )
})
