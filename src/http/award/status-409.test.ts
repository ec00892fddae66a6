import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService } from '../../../test/support/service.ts'

test('the same order with another payload names every differing field and the original, and changes nothing', async (t) => {
  const { acme, clock, verify } = await startService(t)
  const award = {
    tenantId: 't1',
    orderId: 'A-1',
    userEmail: 'ann@example.com',
    amount: 5000,
    note: 'hi',
    meta: { a: 1 },
  }
  const first = await acme.award(award)
  clock.advance(1000)
  const conflict = await acme.award({ ...award, tenantId: 't2', amount: 1, note: null, meta: { a: 2 } })
  assert.equal(conflict.status, 409)
  assert.equal(conflict.body.code, 'ORDER_ID_CONFLICT')
  assert.deepEqual(conflict.body.differs, ['tenantId', 'amount', 'note', 'meta'])
  assert.equal(conflict.body.epTransactionId, first.body.epTransactionId)
  assert.equal(conflict.body.awardedAt, '2026-11-15T05:00:00.000Z')
  assert.equal((await verify()).entries, 1)
})
