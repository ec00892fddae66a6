import assert from 'node:assert/strict'
import { test } from 'node:test'
import { suspendPartner } from '../../partners/set-partner-status.ts'
import { startService } from '../../../test/support/service.ts'

const award = {
  tenantId: 't1',
  orderId: 'A-1',
  userEmail: 'ann@example.com',
  amount: 5000,
  note: 'hi',
  meta: { b: 1, a: [1.5] },
}

test('a replay credits nothing and returns the first transaction id, code DUPLICATE and no orderId', async (t) => {
  const { acme, verify } = await startService(t)
  const first = await acme.award(award)
  const replay = await acme.award(award)
  assert.equal(replay.status, 200)
  assert.deepEqual(Object.keys(replay.body), ['epTransactionId', 'status', 'points', 'code'])
  assert.deepEqual(replay.body, {
    epTransactionId: first.body.epTransactionId,
    status: 'COMPLETED',
    points: 5,
    code: 'DUPLICATE',
  })
  assert.equal((await verify()).entries, 1)
})

test('an order once credited is a duplicate forever: days later, over every cap, suspended', async (t) => {
  const { acme, clock, operate } = await startService(t, { CAP_PER_PARTNER_DAY: '5' })
  const first = await acme.award(award)
  assert.equal((await acme.award({ orderId: 'A-2' })).status, 429)
  await operate((operator) => suspendPartner(operator, 'acme'))
  assert.equal((await acme.award({ orderId: 'A-3' })).body.code, 'PARTNER_SUSPENDED')
  clock.advance(400 * 86_400_000)
  const replay = await acme.award(award)
  assert.deepEqual([replay.status, replay.body.epTransactionId], [200, first.body.epTransactionId])
})

test('the orderIds of two partners have nothing to do with each other', async (t) => {
  const { acme, globex } = await startService(t)
  assert.equal((await acme.award(award)).status, 202)
  assert.equal((await globex.award(award)).status, 202)
})
