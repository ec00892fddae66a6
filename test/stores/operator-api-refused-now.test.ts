import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anApi } from '../support/operator-api.ts'
import { startService } from '../support/service.ts'

const ann = 'ann@example.com'

test('what would happen now to an award that perUserDay refused is answered for a user, and the reading is recorded', async (t) => {
  const service = await startService(t, { CAP_PER_USER_DAY: '10' })
  const api = await anApi(t, service)
  const { acme, lookNow } = service
  await acme.award({ userEmail: ann, amount: 8_000 })
  const refused = await acme.award({ orderId: 'big', userEmail: ann, amount: 5_000 })
  const invalid = await acme.award({ userEmail: 'not an address' })
  await lookNow()
  const path = `/refusals/${refused.body.requestId}`
  assert.equal((await api.as('viewer', { path })).body.now, null, 'the journal does not know the user')
  const ask = (email: string, requestId = refused.body.requestId) => ({
    method: 'POST',
    path: `/refusals/${requestId}/now`,
    body: { email },
  })
  const ofAnn = await api.as('support', ask('Ann@Example.com'))
  const { requested, cap, code } = ofAnn.body.outcome
  assert.deepEqual([code, cap, requested, ofAnn.body.largest], ['DAILY_CAP_EXCEEDED', 'perUserDay', 5, 2])
  const ofBob = await api.as('support', ask('bob@example.com'))
  assert.deepEqual([ofBob.body.outcome, ofBob.body.largest], [{ kind: 'credit', points: 5 }, 10])
  assert.equal((await api.as('viewer', ask(ann))).status, 403)
  assert.equal((await api.as('support', ask('ann'))).status, 422)
  assert.equal((await api.as('support', ask(ann, 'nobody-has-it'))).status, 404)
  assert.equal(
    (await api.as('support', ask(ann, invalid.body.requestId))).status,
    404,
    'no award is known of it',
  )
  const { body } = await api.as('admin', { path: '/access-log' })
  type Row = { kind: string; action: string; subject: string }
  const read = body.items.filter((row: Row) => row.action.endsWith('/now') && row.kind !== 'denied')
  assert.equal(read.length, 2)
  assert.match(read[0].subject, /^user \S+ in t1$/)
  assert.doesNotMatch(JSON.stringify(body), /ann@example/i)
})
