import { equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { anAwardBody, send } from '../../support/client.ts'
import { eventually } from '../../support/eventually.ts'
import { freshPostgres, runSql } from '../../support/fresh-database.ts'
import { startOwnPostgres } from '../../support/own-postgres.ts'
import { assertUnavailable } from '../../support/problem-assertions.ts'
import { startSmallNode } from '../../support/small-node.ts'

const limits = { deadlineMs: 400, answerMaxMs: 800 }
/** For an award that somebody ends from outside: on a busy machine that takes longer than the other limits. */
const patient = { deadlineMs: 60_000, answerMaxMs: 90_000 }

test('while the synchronous standby is away', async (t) => {
  const postgres = await startOwnPostgres(t)
  const database = await freshPostgres(postgres.url)
  const { acme, acmeAt, operatorUrl, verify } = await startSmallNode(t, database.url, limits)
  const acmePatient = acmeAt(await startSmallNode(t, database.url, patient, { partnerId: 'globex' }))
  await acme.award()
  const goAway = () => postgres.set({ synchronous_standby_names: 'berlin' })
  const comeBack = () => postgres.set({ synchronous_standby_names: null })
  const waiting = `FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND datname = '${new URL(database.url).pathname.slice(1)}'`
  const waits = async () => (await runSql(postgres.url, `SELECT pid ${waiting}`)).length

  await t.test('an award is 503 at its deadline, so is every replay, and it is credited once', async () => {
    await goAway()
    const order = anAwardBody()
    const first = await acme.award(order)
    assertUnavailable(first)
    match(first.body.detail, /deadline/)
    // Until after the first session is given up: later replays use other sessions.
    for (let replay = 0; replay < 6; replay++) assertUnavailable(await acme.award(order))

    await comeBack()
    await eventually('the replay is answered', async () => {
      const { status, body } = await acme.award(order)
      if (status !== 503) equal(body.code, 'DUPLICATE')
      return status !== 503
    })
  })

  await t.test(
    'a wait that an operator cuts short is no success, and a replay waits for itself',
    async () => {
      await goAway()
      const order = anAwardBody()
      const award = acmePatient.award(order)
      await eventually('the commit waits for the standby', async () => (await waits()) === 1)
      await runSql(postgres.url, `SELECT pg_cancel_backend(pid) ${waiting}`)
      const answer = await award
      assertUnavailable(answer)
      match(answer.body.detail, /may not be durable/)
      // It is now in the ledger of this server, and of no other.
      const [{ count }] = await runSql(
        database.url,
        `SELECT count(*)::int FROM entries WHERE order_id = '${order.orderId}'`,
      )
      equal(count, 1)
      // The history reads what this server has, and waits for nothing: scaling.md says so.
      equal((await acme.history('t1')).body.items[0].orderId, order.orderId)
      for (let replay = 0; replay < 3; replay++) assertUnavailable(await acme.award(order))

      await comeBack()
      await eventually('the replay is answered', async () => {
        const { status, body } = await acme.award(order)
        if (status !== 503) equal(body.code, 'DUPLICATE')
        return status !== 503
      })
    },
  )

  await t.test('no conflict with an award that only this server has is reported, either', async () => {
    await goAway()
    const order = anAwardBody()
    const award = acmePatient.award(order)
    await eventually('the commit waits for the standby', async () => (await waits()) === 1)
    await runSql(postgres.url, `SELECT pg_cancel_backend(pid) ${waiting}`)
    assertUnavailable(await award)
    // A 409 would say that the first award stands, but it is lost if this server is.
    const other = { ...order, amount: 6000 }
    for (let attempt = 0; attempt < 3; attempt++) assertUnavailable(await acme.award(other))
    await comeBack()
    await eventually('the conflict is reported', async () => (await acme.award(other)).status === 409)
  })

  await t.test('a session that is killed while it waits is no success either', async () => {
    await goAway()
    const order = anAwardBody()
    const award = acmePatient.award(order)
    await eventually('the commit waits for the standby', async () => (await waits()) === 1)
    await runSql(postgres.url, `SELECT pg_terminate_backend(pid) ${waiting}`)
    assertUnavailable(await award)
    assertUnavailable(await acme.award(order))
    await comeBack()
    await eventually('the replay is answered', async () => (await acme.award(order)).status === 200)
  })

  await t.test(
    'afterwards every order is there once, the ledger is sound, and no session is left waiting',
    async () => {
      const items: { orderId: string }[] = (await acme.history('t1')).body.items
      equal(new Set(items.map(({ orderId }) => orderId)).size, items.length)
      equal(items.length, 5)
      equal((await verify()).sound, true)
      equal(await waits(), 0)
    },
  )

  await t.test(
    '/readyz warns where no standby is configured; where one is and is away, it is 503',
    async () => {
      const ready = () => send(`${operatorUrl}/readyz`)
      match((await ready()).body.warnings.join(), /^no synchronous standby is configured/)
      await goAway()
      await eventually('not ready', async () => (await ready()).status === 503)
      await comeBack()
      await eventually('ready again', async () => (await ready()).status === 200)
    },
  )
})
