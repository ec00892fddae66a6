import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explain } from '../../src/answers/explain.ts'
import { setPartnerCaps } from '../../src/partners/set-partner-caps.ts'
import { suspendPartner } from '../../src/partners/set-partner-status.ts'
import { isoTime } from '../../src/rules/iso-time.ts'
import { asking } from '../support/answer-sources.ts'
import { eventually } from '../support/eventually.ts'
import { openRaw } from '../support/raw-database.ts'
import { startService, type TestService } from '../support/service.ts'

type Supposed = Parameters<typeof explain>[1]['supposed']

function explained(service: TestService, orderId: string, supposed: Supposed = {}, partnerId = 'acme') {
  const now = service.clock.now()
  return asking(service, (sources) => explain(sources, { partnerId, orderId, now, supposed }))
}

async function credited(service: TestService, orderId: string) {
  const explanation = await explained(service, orderId)
  assert(explanation.credited)
  return explanation
}

async function notCredited(service: TestService, orderId: string, supposed: Supposed = {}) {
  const explanation = await explained(service, orderId, supposed)
  assert(!explanation.credited)
  return explanation
}

const caps = { CAP_PER_TX: '100', CAP_PER_PARTNER_DAY: '150', CAP_PER_USER_DAY: '120' }
const ann = 'ann@example.com'

test('a credited order is explained: arithmetic, caps then with their origin, day totals, chain', async (t) => {
  const service = await startService(t, caps)
  const { acme, globex, clock, operate } = service
  await acme.award({ orderId: 'A1', userEmail: ann, amount: 30_000 })
  await globex.award({ orderId: 'A2', userEmail: ann, amount: 20_500 })
  clock.advance(1000)
  await operate((operator) =>
    setPartnerCaps(
      { ...operator, actor: 'mai', reason: 'ticket 7' },
      'acme',
      { perTx: 60, perPartnerDay: undefined },
      't1',
    ),
  )
  clock.advance(1000)
  await acme.award({ orderId: 'A2', userEmail: ann, amount: 45_678, note: 'thanks' })
  const at = clock.now()
  // What is set later does not matter.
  await operate((operator) => setPartnerCaps(operator, 'acme', { perTx: 5, perPartnerDay: 7 }, 't1'))
  await acme.award({ orderId: 'A3', userEmail: ann, amount: 5000 })

  const order = await credited(service, 'A2')
  assert.deepEqual(order.arithmetic, { rawAmount: 45_678, amountPerEp: 1000, points: 45, remainder: 678 })
  assert.deepEqual([order.userEmail, order.note, order.tenantId, order.sandbox], [ann, 'thanks', 't1', false])
  assert.deepEqual([order.awardedAt, order.day], [isoTime(at), '2026-11-15'])
  const { perTx, perPartnerDay, perUserDay } = order.caps
  assert.equal(perTx.limit, 60)
  assert.equal(perTx.origin!.from, 'partner in tenant')
  const { actor, action, reason, at: setAt } = perTx.origin!.change!
  assert.deepEqual([actor, action, reason, setAt], ['mai', 'partner caps', 'ticket 7', isoTime(at - 1000)])
  assert.deepEqual([perPartnerDay.limit, perPartnerDay.before, perPartnerDay.after], [150, 30, 75])
  assert.deepEqual(
    [perPartnerDay.origin!.from, perPartnerDay.origin!.change!.action],
    ['default', 'defaults seed'],
  )
  assert.deepEqual([perUserDay.limit, perUserDay.before, perUserDay.after], [120, 50, 95])
  assert.deepEqual(
    { ...order.chain, hash: order.chain.hash.length },
    { seq: 2, length: 2, hash: 64, hashMatches: true, isLinked: true },
  )
})

test('the replays of the day and the conflicts of the order are in its explanation', async (t) => {
  const service = await startService(t, caps)
  const { acme, clock } = service
  const order = { orderId: 'A1', userEmail: ann, amount: 30_000 }
  await acme.award(order)
  clock.advance(5000)
  assert.equal((await acme.award(order)).status, 200)
  assert.equal((await acme.award({ ...order, amount: 31_000 })).status, 409)
  await eventually('the journal has the conflict', async () => {
    return (await credited(service, 'A1')).journal.refusals.length === 1
  })
  const { replaysOfDay, journal } = await credited(service, 'A1')
  assert.deepEqual(replaysOfDay, { isCounted: true, total: 1, byAge: [{ age: 'within 10 s', replays: 1 }] })
  assert.deepEqual(
    journal.refusals.map(({ code, tenantId, at }) => [code, tenantId, at]),
    [['ORDER_ID_CONFLICT', 't1', isoTime(clock.now())]],
  )
})

test('an order that was not credited is explained by its refusals, and by what the rules would decide now', async (t) => {
  const service = await startService(t, caps)
  const { acme, clock, operate } = service
  await acme.award({ orderId: 'A1', userEmail: ann, amount: 90_000 })
  assert.equal((await acme.award({ orderId: 'A2', userEmail: ann, amount: 70_000 })).status, 429)
  clock.advance(1000)
  assert.equal((await acme.award({ orderId: 'A2', userEmail: ann, amount: 70_000 })).status, 429)
  await eventually('the journal has both refusals', async () => {
    return (await notCredited(service, 'A2')).journal.refusals.length === 2
  })
  const today = await notCredited(service, 'A2')
  assert.deepEqual(
    today.journal.refusals.map(({ code, cap, limit, requested, used }) => [
      code,
      cap,
      limit,
      requested,
      used,
    ]),
    Array(2).fill(['DAILY_CAP_EXCEEDED', 'perPartnerDay', 150, 70, 90]),
  )
  assert.equal(today.now.length, 1, 'in the tenant of the refusal')
  const { tenantId, amount, outcome, largest } = today.now[0]!
  assert.deepEqual([tenantId, amount, largest], ['t1', 70_000, 60])
  assert(outcome.kind === 'reject' && outcome.code === 'DAILY_CAP_EXCEEDED')

  clock.advance(86_400_000)
  const tomorrow = (await notCredited(service, 'A2')).now[0]!
  assert.deepEqual([tomorrow.outcome, tomorrow.largest], [{ kind: 'credit', points: 70 }, 100])
  await acme.award({ orderId: 'A3', userEmail: ann, amount: 60_000 })
  const toAnn = (await notCredited(service, 'A2', { userEmail: 'Ann@example.com' })).now[0]!
  assert(toAnn.outcome.kind === 'reject' && toAnn.outcome.code === 'DAILY_CAP_EXCEEDED')
  assert.equal(toAnn.outcome.cap, 'perUserDay')
  assert.equal(toAnn.largest, 60, 'what is left of her perUserDay')
  await operate((operator) => suspendPartner(operator, 'acme'))
  const suspended = (await notCredited(service, 'A2')).now[0]!
  assert.deepEqual(
    [suspended.outcome, suspended.largest],
    [{ kind: 'reject', code: 'PARTNER_SUSPENDED' }, null],
  )
})

test('an order that nobody has seen is asked about in each tenant of the partner, or as it is supposed to be', async (t) => {
  const service = await startService(t, caps)
  const nothing = await notCredited(service, 'never')
  assert.deepEqual(nothing.journal.refusals, [])
  assert.deepEqual(
    nothing.now.map(({ tenantId, outcome }) => [tenantId, outcome.kind]),
    [
      ['t1', 'credit'],
      ['t2', 'credit'],
    ],
  )
  const supposed = await notCredited(service, 'never', { tenantId: 't2', amount: 101_000 })
  assert.deepEqual(
    supposed.now.map(({ tenantId, outcome }) => [tenantId, outcome]),
    [['t2', { kind: 'reject', code: 'PER_TX_CAP_EXCEEDED', limit: 100, requested: 101 }]],
  )
  await assert.rejects(explained(service, 'never', {}, 'amce'), /did you mean "acme"/)
  await assert.rejects(explained(service, 'never', { tenantId: 't3' }), /no tenant "t3"/)
  await assert.rejects(explained(service, 'never', { userEmail: 'ann' }), /is not an address/)
})

test('asking changes nothing, and an entry that was changed does not match its hash', async (t) => {
  const service = await startService(t, caps)
  const { acme, config, dump } = service
  for (const orderId of ['A1', 'A2', 'A3']) await acme.award({ orderId, amount: 5000 })
  const before = await dump()
  await credited(service, 'A2')
  await notCredited(service, 'never')
  assert.equal(await dump(), before)

  const raw = await openRaw(config.database)
  await raw.unlock()
  await raw.run("UPDATE entries SET raw_amount = 5001 WHERE order_id = 'A2'")
  await raw.close()
  const chainOf = async (orderId: string) => {
    const { hashMatches, isLinked } = (await credited(service, orderId)).chain
    return [hashMatches, isLinked]
  }
  assert.deepEqual(await chainOf('A1'), [true, false], 'what follows it is not what was calculated from it')
  assert.deepEqual(await chainOf('A2'), [false, true])
  assert.deepEqual(await chainOf('A3'), [true, true])
})
