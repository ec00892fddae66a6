import { deepEqual, equal } from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { resumePartner, suspendPartner } from '../../src/partners/set-partner-status.ts'
import { anAwardBody, type AwardFields } from '../support/client.ts'
import { assertRefused, assertSoundAndDiscreet, privateFields } from '../support/problem-assertions.ts'
import { startService } from '../support/service.ts'

const service = await startService({ after })
const { acme, globex, clock } = service

const known = anAwardBody({ ...privateFields, orderId: 'known', meta: { shelf: 'private', floor: [1, 2.5] } })
const original = await acme.award(known)
const awardedAt = new Date(clock.now()).toISOString()
const { epTransactionId, points } = original.body
equal(original.status, 202)

describe('a known order with another payload is 409 naming the fields, whatever else is wrong with it', () => {
  const cases: [string, AwardFields, string[]][] = [
    ['another tenant', { tenantId: 't2' }, ['tenantId']],
    ['another user', { userEmail: 'minh.private@example.com' }, ['userEmail']],
    ['another amount', { amount: 6000 }, ['amount']],
    ['an amount that gives the same points', { amount: 5001 }, ['amount']],
    ['an amount below the minimum', { amount: 999 }, ['amount']],
    ['an amount over perTx', { amount: 10_001_000 }, ['amount']],
    ['an amount over the day', { amount: 1_000_001_000 }, ['amount']],
    ['another note', { note: 'another private note' }, ['note']],
    ['a note with a space behind it', { note: `${privateFields.note} ` }, ['note']],
    ['no note', { note: undefined }, ['note']],
    ['an empty note', { note: '' }, ['note']],
    ['another meta', { meta: { shelf: 'private', floor: [2.5, 1] } }, ['meta']],
    ['a key less in meta', { meta: { shelf: 'private' } }, ['meta']],
    ['a number as a string in meta', { meta: { shelf: 'private', floor: ['1', 2.5] } }, ['meta']],
    ['no meta', { meta: undefined }, ['meta']],
    ['an empty meta', { meta: {} }, ['meta']],
    [
      'everything',
      { tenantId: 't2', userEmail: 'x@private.com', amount: 1, note: 'private', meta: {} },
      ['tenantId', 'userEmail', 'amount', 'note', 'meta'],
    ],
  ]
  for (const [what, fields, differs] of cases) {
    test(what, async () => {
      const expected = { status: 409, code: 'ORDER_ID_CONFLICT' }
      const { body } = await assertRefused(service, expected, () => acme.award({ ...known, ...fields }))
      deepEqual(body.differs, differs)
      deepEqual([body.epTransactionId, body.awardedAt], [epTransactionId, awardedAt])
    })
  }
  test('on another day', async () => {
    clock.advance(86_400_000)
    const expected = { status: 409, code: 'ORDER_ID_CONFLICT' }
    await assertRefused(service, expected, () => acme.award({ ...known, amount: 6000 }))
  })
})

describe('a known order with the same payload is 200 DUPLICATE and credits nothing', () => {
  const text = JSON.stringify(known)
  const replays: [string, string][] = [
    ['byte for byte', text],
    ['keys in another order', JSON.stringify(Object.fromEntries(Object.entries(known).reverse()))],
    ['pretty-printed', JSON.stringify(known, null, 2)],
    [
      'the address in another case',
      JSON.stringify({ ...known, userEmail: privateFields.userEmail.toUpperCase() }),
    ],
    ['the amount written 5e3', text.replace('5000', '5e3')],
    ['the amount written 5000.0', text.replace('5000', '5000.0')],
    [
      'meta in another order and spacing',
      text.replace(/"meta":\{.*?\}/, '"meta": { "floor": [1, 2.5], "shelf": "private" }'),
    ],
    ['a number of meta written otherwise', text.replace('2.5', '25e-1')],
    ['letters as escapes', text.replace('"a private', '"\\u0061 private')],
  ]
  for (const [what, body] of replays) {
    test(what, async () => {
      const before = await service.dump()
      const answer = await acme.awardBytes(body)
      equal(answer.status, 200, answer.text)
      deepEqual(answer.body, { epTransactionId, status: 'COMPLETED', points, code: 'DUPLICATE' })
      equal(await service.dump(), before)
    })
  }
  test('note and meta null where they were absent, and absent where they were null', async () => {
    const plain = anAwardBody({ orderId: 'plain' })
    equal((await acme.award(plain)).status, 202)
    equal((await acme.award({ ...plain, note: null, meta: null })).body.code, 'DUPLICATE')
    const nulls = anAwardBody({ orderId: 'nulls', note: null, meta: null })
    equal((await acme.award(nulls)).status, 202)
    equal((await acme.award({ ...nulls, note: undefined, meta: undefined })).body.code, 'DUPLICATE')
  })
  test("another partner's order of the same id is an order of its own", async () => {
    const theirs = await globex.award(known)
    equal(theirs.status, 202)
    equal(theirs.body.epTransactionId === epTransactionId, false)
  })
  test('of sixteen copies at once one is 202, the others 200 with its id', async () => {
    const order = anAwardBody({ orderId: 'storm' })
    const answers = await Promise.all(Array.from({ length: 16 }, () => acme.award(order)))
    deepEqual(answers.map(({ status }) => status).sort(), [...Array(15).fill(200), 202])
    equal(new Set(answers.map(({ body }) => body.epTransactionId)).size, 1)
  })
})

describe('a suspended partner', () => {
  test('gets 403 for new awards and 200 for replays, and reads its history', async () => {
    await service.operate((operator) => suspendPartner(operator, 'acme'))
    const suspended = { status: 403, code: 'PARTNER_SUSPENDED' }
    await assertRefused(service, suspended, () => acme.award({ ...privateFields, orderId: 'new' }))
    await assertRefused(service, suspended, () => acme.award({ ...privateFields, orderId: 'new', amount: 1 }))
    const conflict = { status: 409, code: 'ORDER_ID_CONFLICT' }
    await assertRefused(service, conflict, () => acme.award({ ...known, amount: 6000 }))
    const replay = await acme.award(known)
    deepEqual([replay.status, replay.body.epTransactionId], [200, epTransactionId])
    const history = await acme.history('t1')
    equal(history.status, 200)
    equal(history.body.items.at(-1).epTransactionId, epTransactionId)
    equal((await globex.award()).status, 202)

    await service.operate((operator) => resumePartner(operator, 'acme'))
    equal((await acme.award({ ...privateFields, orderId: 'new' })).status, 202)
  })
})

test('afterwards the ledger is sound and the log holds nothing private', () =>
  assertSoundAndDiscreet(service))
