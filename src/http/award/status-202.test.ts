import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anAwardBody } from '../../../test/support/client.ts'
import { startService } from '../../../test/support/service.ts'

test('a fresh award is accepted with the body of the specification and no code', async (t) => {
  const { acme } = await startService(t)
  const { status, body } = await acme.award({ orderId: 'A-1', amount: 5999 })
  assert.equal(status, 202)
  assert.deepEqual(Object.keys(body), ['epTransactionId', 'status', 'orderId', 'points'])
  assert.match(body.epTransactionId, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.deepEqual(
    { ...body, epTransactionId: '' },
    { epTransactionId: '', status: 'COMPLETED', orderId: 'A-1', points: 5 },
  )
})

test('an accepted award says how much of the day is left and when it ends', async (t) => {
  const { acme } = await startService(t, { CAP_PER_PARTNER_DAY: '100' })
  await acme.award({ amount: 40_000 })
  const { headers } = await acme.award({ amount: 7_000 })
  assert.equal(headers.get('ep-partner-day-remaining'), '53')
  assert.equal(headers.get('ep-day-resets-at'), '2026-11-15T17:00:00.000Z')
})

test('copies of one order that arrive together: one is accepted, the others are its duplicates', async (t) => {
  const { acme, verify } = await startService(t)
  const body = JSON.stringify(anAwardBody())
  const answers = await Promise.all(Array.from({ length: 32 }, () => acme.awardBytes(body)))
  assert.equal(answers.filter(({ status }) => status === 202).length, 1)
  assert.equal(answers.filter(({ status }) => status === 200).length, 31)
  assert.equal(new Set(answers.map((answer) => answer.body.epTransactionId)).size, 1)
  assert.equal((await verify()).entries, 1)
})

test('64 awards at once fill each cap to the last point and not beyond', async (t) => {
  const { acme, globex, verify } = await startService(t, {
    CAP_PER_PARTNER_DAY: '160',
    CAP_PER_USER_DAY: '100',
  })
  const partnerDay = await Promise.all(Array.from({ length: 64 }, () => acme.award({ amount: 5_000 })))
  assert.equal(partnerDay.filter(({ status }) => status === 202).length, 32)
  assert.equal(partnerDay.filter(({ body }) => body.cap === 'perPartnerDay').length, 32)

  // One user, credited by two partners: the cap of the user counts both.
  const shared = { tenantId: 't1', userEmail: 'shared@example.com', amount: 5_000 }
  const userDay = await Promise.all(
    Array.from({ length: 64 }, (_, index) => (index % 2 === 0 ? globex : acme).award(shared)),
  )
  const credited = userDay.filter(({ status }) => status === 202).length
  assert.ok(credited <= 20)
  const globexAgain = await Promise.all(Array.from({ length: 32 }, () => globex.award(shared)))
  assert.equal(credited + globexAgain.filter(({ status }) => status === 202).length, 20)
  assert.equal((await verify()).sound, true)
})

test('the day is the Vietnam day: the caps are free again at 17:00 UTC and not before', async (t) => {
  const { acme, clock, verify } = await startService(t, { CAP_PER_PARTNER_DAY: '5' })
  const midnight = Date.parse('2026-11-15T17:00:00.000Z')
  clock.set(midnight - 1)
  assert.equal((await acme.award()).status, 202)
  const refused = await acme.award({ orderId: 'again' })
  assert.equal(refused.status, 429)
  assert.equal(refused.headers.get('retry-after'), '1')
  clock.set(midnight)
  assert.equal((await acme.award({ orderId: 'again' })).status, 202)
  // A clock that is set back does not re-open the day before.
  clock.set(midnight - 1)
  assert.equal((await acme.award()).status, 429)
  assert.equal((await verify()).sound, true)
})

test('an award by a partner that sends its own request id keeps it', async (t) => {
  const { acme } = await startService(t)
  const { headers } = await acme.award({}, { 'X-Request-Id': 'trace-me.1' })
  assert.equal(headers.get('x-request-id'), 'trace-me.1')
  const { headers: ours } = await acme.award({}, { 'X-Request-Id': 'not well formed' })
  assert.match(ours.get('x-request-id')!, /^[0-9a-f-]{36}$/)
})
