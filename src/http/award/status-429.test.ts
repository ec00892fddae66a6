import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setPartnerRate } from '../../partners/set-partner-rate.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { startService } from '../../../test/support/service.ts'

test('over perPartnerDay: limit, requested, used, resetsAt, and Retry-After up to Vietnam midnight', async (t) => {
  const { acme } = await startService(t, { CAP_PER_PARTNER_DAY: '8' })
  await acme.award({ amount: 5000 })
  const { status, headers, body } = await acme.award({ amount: 4000 })
  assert.equal(status, 429)
  const { cap, limit, requested, used, resetsAt } = body
  assert.deepEqual(
    { cap, limit, requested, used, resetsAt },
    { cap: 'perPartnerDay', limit: 8, requested: 4, used: 5, resetsAt: '2026-11-15T17:00:00.000Z' },
  )
  assert.equal(headers.get('retry-after'), String(12 * 3600))
  assert.equal((await acme.award({ amount: 3000 })).status, 202, 'a smaller one that fits is accepted')
})

test('over perUserDay, what other partners gave is never disclosed', async (t) => {
  const { acme, globex } = await startService(t, { CAP_PER_USER_DAY: '8' })
  const userEmail = 'ann@example.com'
  await globex.award({ userEmail, amount: 5000 })
  const { status, body } = await acme.award({ userEmail: 'ANN@example.com', amount: 4000 })
  assert.equal(status, 429)
  assert.deepEqual([body.cap, body.limit, body.requested, body.used], ['perUserDay', 8, 4, undefined])
  assert.equal(
    (await acme.award({ tenantId: 't2', userEmail, amount: 4000 })).status,
    202,
    'another tenant has its own count',
  )
})

test('a partner that exceeds the request rate the operator set is RATE_LIMITED, and no other partner is', async (t) => {
  const { acme, globex, clock, operate } = await startService(t)
  await operate((operator) => setPartnerRate(operator, 'acme', 2))
  let limited = await acme.award()
  await eventually('the server notices the rate', async () => {
    limited = await acme.award()
    return limited.status === 429
  })
  assert.equal(limited.body.code, 'RATE_LIMITED')
  assert.equal(limited.headers.get('retry-after'), '1')
  assert.equal((await globex.award()).status, 202)
  clock.advance(1000)
  assert.equal((await acme.award()).status, 202)
})
