import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explain } from '../../src/answers/explain.ts'
import { createKey } from '../../src/partners/create-key.ts'
import { isoTime } from '../../src/rules/iso-time.ts'
import { asking } from '../support/answer-sources.ts'
import { createClient } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { storeKind } from '../support/fresh-database.ts'
import { startService, type TestService } from '../support/service.ts'
import { aNoon } from '../support/test-clock.ts'

const dayMs = 86_400_000

async function replaysOf(service: TestService, orderId: string, partnerId = 'acme') {
  const question = { partnerId, orderId, now: service.clock.now(), supposed: {} }
  const explanation = await asking(service, (sources) => explain(sources, question))
  assert(explanation.credited)
  return explanation.replays
}

test('the replays of an order are its own: how many, how soon after the award and by which key, from every node', async (t) => {
  const nodes = storeKind === 'sqlite' ? 1 : 3
  const service = await startService(t, {}, { nodes })
  const { acme, globex, clock, urls, operate } = service
  const issued = await operate((operator) => createKey(operator, 'acme', service.config.masterKey!))
  const second = createClient(urls, issued, clock)
  for (const url of urls) {
    const there = createClient(url, issued, clock)
    await eventually('the new key is known', async () => (await there.history('t1')).status === 200)
  }
  const order = { orderId: 'A1', userEmail: 'ann@example.com', amount: 5_000 }
  await acme.award(order)
  await globex.award(order)
  await acme.award({ ...order, orderId: 'A2' })
  await service.lookNow()
  const since = isoTime(aNoon)
  const none = { total: 0, isMinimum: false, someLeftOut: false, since, byKey: [], problem: null }
  assert.deepEqual(await replaysOf(service, 'A1'), none)

  const sendAgain = async (by: typeof acme) => assert.equal((await by.award(order)).body.code, 'DUPLICATE')
  clock.advance(400)
  for (let time = 0; time < 4; time++) await sendAgain(acme)
  await service.lookNow()
  clock.advance(60_000)
  await sendAgain(second)
  await sendAgain(globex)
  clock.advance(60_000)
  await sendAgain(acme)
  assert.equal((await acme.award({ ...order, amount: 6_000 })).status, 409, 'which is a refusal')
  await service.lookNow()

  const { byKey, ...others } = await replaysOf(service, 'A1')
  assert.deepEqual({ ...others, byKey: [] }, { ...none, total: 6 })
  assert.deepEqual(
    byKey.map(({ keyId, ...key }) => ({ isSecond: keyId === issued.keyId, ...key })),
    [
      { isSecond: false, replays: 5, ...between(400, 120_400) },
      { isSecond: true, replays: 1, ...between(60_400, 60_400) },
    ],
  )
  assert.deepEqual(await replaysOf(service, 'A2'), none)
  assert.equal((await replaysOf(service, 'A1', 'globex')).total, 1)
})

function between(firstAfterMs: number, lastAfterMs: number) {
  const [firstAt, lastAt] = [firstAfterMs, lastAfterMs].map((ms) => isoTime(aNoon + ms))
  return { firstAt, firstAfterMs, lastAt, lastAfterMs }
}

test('the number of replays is a minimum if some were left out since the award', async (t) => {
  const service = await startService(t, {}, { nodes: 1 })
  const { acme, clock } = service
  const perHour = 500
  const orders = Array.from({ length: perHour + 1 }, (_, number) => ({
    orderId: `A${number}`,
    userEmail: 'ann@example.com',
    amount: 1_000,
  }))
  const sendAll = () => Promise.all(orders.map((order) => acme.award(order)))
  await sendAll()
  clock.advance(10)
  await sendAll()
  await service.lookNow()
  const { isMinimum, someLeftOut } = await replaysOf(service, 'A0')
  assert.deepEqual([isMinimum, someLeftOut], [true, true])

  clock.advance(10)
  await acme.award({ orderId: 'later' })
  const later = await replaysOf(service, 'later')
  assert.deepEqual([later.total, later.isMinimum], [0, false], 'awarded after the last that was left out')
})

test('replays are kept for REFUSAL_DAYS after the last one, and an older award is known to be older', async (t) => {
  const service = await startService(t, { REFUSAL_DAYS: '2' }, { nodes: 1 })
  const { acme, clock } = service
  const order = { orderId: 'A1', userEmail: 'ann@example.com', amount: 5_000 }
  await acme.award(order)
  await acme.award(order)
  await service.lookNow()
  assert.equal((await replaysOf(service, 'A1')).total, 1)
  clock.advance(2.5 * dayMs)
  await acme.award({ orderId: 'A2' })
  await service.lookNow()
  await eventually('the replay is deleted', async () => (await replaysOf(service, 'A1')).total === 0)
  const { isMinimum, someLeftOut, since } = await replaysOf(service, 'A1')
  assert.deepEqual([isMinimum, someLeftOut, since], [true, false, isoTime(clock.now() - 2 * dayMs)])
  assert.equal((await replaysOf(service, 'A2')).isMinimum, false)
})

test('with REFUSAL_DAYS=0 no replay is recorded by order, and the answer says so', async (t) => {
  const service = await startService(t, { REFUSAL_DAYS: '0' }, { nodes: 1 })
  await service.acme.award({ orderId: 'A1', userEmail: 'ann@example.com' })
  await service.acme.award({ orderId: 'A1', userEmail: 'ann@example.com' })
  await service.lookNow()
  const { total, isMinimum, since } = await replaysOf(service, 'A1')
  assert.deepEqual([total, isMinimum, since], [0, true, null])
})
