import { ok, deepEqual, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { anAwardBody, type Answer, type AwardFields, send } from '../../support/client.ts'
import { lockWaits, openSession } from '../../support/database-sessions.ts'
import { eventually } from '../../support/eventually.ts'
import { freshPostgres, runSql } from '../../support/fresh-database.ts'
import { assertUnavailable } from '../../support/problem-assertions.ts'
import { startService } from '../../support/service.ts'
import { startSmallNode } from '../../support/small-node.ts'
import { type Fault, startProxy } from '../../support/tcp-proxy.ts'

/** Several orders for one account: they arrive together, so most of them share a batch. */
function aBatch(): AwardFields[] {
  return Array.from({ length: 8 }, () => anAwardBody())
}

const codesOf = (answers: Answer[]) => answers.map(({ status, body }) => body.code ?? status)
const eight = <T>(value: T): T[] => Array(8).fill(value)

test('when the connection to the database breaks', async (t) => {
  const database = await freshPostgres()
  const proxy = await startProxy(t, database.url)
  const service = await startService(t, { DATABASE_URL: proxy.url }, { nodes: 1, database })
  const { acme } = service
  const entryCount = async () => (await runSql(database.url, 'SELECT count(*)::int FROM entries'))[0].count
  await acme.award()

  for (const fault of [
    'is lost',
    'is half lost',
    'is answered, and the answer is lost',
    'is answered by a broken message',
  ] as const) {
    await t.test(`where BEGIN ${fault}, the award is retried and credited, once`, async () => {
      const before = await entryCount()
      const happened = proxy.next('BEGIN', fault)
      equal((await acme.award()).status, 202)
      await happened
      equal(await entryCount(), before + 1)
    })
  }

  const cases: [fault: Fault, committed: boolean][] = [
    ['is lost', false],
    ['is half lost', false],
    ['is answered by a broken message', false],
    ['arrives, and the connection is gone', true],
    ['is answered, and the answer is lost', true],
  ]
  for (const [fault, committed] of cases) {
    const found = committed ? 'finds the award' : 'is credited'
    await t.test(`where COMMIT ${fault}, no success is reported, and the replay ${found}`, async () => {
      for (let round = 0; round < 5; round++) {
        const orders = aBatch()
        const before = await entryCount()
        const happened = proxy.next('COMMIT', fault)
        const answers = await Promise.all(orders.map((order) => acme.award(order)))
        await happened
        // The first award may have had its own batch; the awards of the broken one get 503.
        const unknown = orders.filter((_, index) => answers[index]!.status !== 202)
        const refused = answers.filter(({ status }) => status !== 202)
        for (const answer of refused) {
          assertUnavailable(answer)
          match(answer.body.detail, /outcome of the commit is not known/)
        }
        const replays = await Promise.all(unknown.map((order) => acme.award(order)))
        deepEqual(codesOf(replays), Array(unknown.length).fill(committed ? 'DUPLICATE' : 202))
        deepEqual(codesOf(await Promise.all(orders.map((order) => acme.award(order)))), eight('DUPLICATE'))
        equal(await entryCount(), before + 8)
      }
    })
  }

  await t.test('afterwards the ledger is sound and the service is ready', async () => {
    const { sound, fault } = await service.verify()
    equal(sound, true, fault ?? '')
    equal((await send(`${service.url}/readyz`)).status, 200)
  })
})

test('when the database falls silent', async (t) => {
  const database = await freshPostgres()
  t.after(() => database.remove())
  const proxy = await startProxy(t, database.url)
  const limits = { deadlineMs: 1_500, answerMaxMs: 4_500 }
  const { acme, url, verify } = await startSmallNode(t, proxy.url, limits)
  await acme.award()

  for (const statement of ['BEGIN', 'COMMIT']) {
    await t.test(
      `after ${statement}, the award is 503 at its deadline; the line is dropped and a replay goes through`,
      async () => {
        const order = anAwardBody()
        const happened = proxy.next(statement, 'arrives, and then all is silent')
        const answer = await acme.award(order)
        await happened
        assertUnavailable(answer)
        match(answer.body.detail, /deadline/)
        let replay = answer
        await eventually('the replay is answered', async () => {
          replay = await acme.award(order)
          return replay.status !== 503
        })
        // Nothing came of a silent BEGIN, and the batch may or may not have been retried by now.
        if (statement === 'COMMIT') equal(replay.body.code, 'DUPLICATE')
        equal((await acme.award(order)).body.code, 'DUPLICATE')
        const items: { orderId: string }[] = (await acme.history('t1')).body.items
        equal(items.filter(({ orderId }) => orderId === order.orderId).length, 1)
      },
    )
  }

  await t.test('before COMMIT, the account is held for some seconds and not until TCP gives up', async () => {
    const order = anAwardBody()
    const happened = proxy.next('COMMIT', 'is lost, and then all is silent')
    assertUnavailable(await acme.award(order))
    await happened
    const isCredited = async () => (await acme.award(order)).status < 300
    await eventually('a replay is credited', isCredited, { withinMs: 20_000 })
  })

  await t.test('afterwards the ledger is sound and the service is ready', async () => {
    equal((await verify()).sound, true)
    equal((await send(`${url}/readyz`)).status, 200)
  })
})

test('when all connections fall silent at once, and new ones work', async (t) => {
  const database = await freshPostgres()
  t.after(() => database.remove())
  const proxy = await startProxy(t, database.url)
  const limits = { deadlineMs: 5_000, answerMaxMs: 8_000 } // those of a server
  const tenants = Array.from({ length: 6 }, (_, index) => `t${index + 1}`)
  const { acme, operatorUrl, verify } = await startSmallNode(t, proxy.url, limits, { tenants })
  const awards = async () =>
    codesOf(await Promise.all(tenants.map((tenantId) => acme.award(anAwardBody({ tenantId })))))
  const ofAll = <T>(value: T): T[] => Array(tenants.length).fill(value)
  const readyz = async () => (await send(`${operatorUrl}/readyz`)).status
  deepEqual(await awards(), ofAll(202))

  await t.test(
    'the awards that met one get 503, and the next ones are credited: no other idle one is met',
    async (t) => {
      const operator = await openSession(t, database.url)
      await operator.query('BEGIN; SELECT FROM accounts FOR UPDATE')
      const held = awards()
      await lockWaits(database.url, 3) // before that each was tried for a moment, on a connection of its own
      await operator.query('ROLLBACK')
      deepEqual(await held, ofAll(202))

      proxy.silence()
      // The first of them meet silent connections. On a busy machine others come so late that these are closed.
      const met = await awards()
      ok(met.includes('UNAVAILABLE'), 'no award met a silent connection')
      for (const code of met) ok(code === 'UNAVAILABLE' || code === 202, `${code}`)
      deepEqual(await awards(), ofAll(202))
      await eventually('ready', async () => (await readyz()) === 200)
    },
  )

  await t.test('between the writes of an award and COMMIT, it is 503 before its deadline', async () => {
    const order = anAwardBody()
    const happened = proxy.next('COMMIT', 'arrives, and then all is silent')
    const answer = await acme.award(order)
    await happened
    assertUnavailable(answer)
    match(answer.body.detail, /outcome of the commit is not known/)
    equal((await acme.award(order)).body.code, 'DUPLICATE')
  })

  await t.test('afterwards the ledger is sound', async () => {
    equal((await verify()).sound, true)
  })
})
