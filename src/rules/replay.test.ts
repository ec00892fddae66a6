import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anAward, knownAs } from '../../test/support/awards.ts'
import type { AwardRequest } from './award-request.ts'
import { differingFields } from './replay.ts'

const original = anAward({ note: 'thanks', meta: '{"shop":1.10,"lines":[1,2]}' })
const known = knownAs(original)

test('the payload of the original differs in nothing', () => {
  assert.deepEqual(differingFields(known, { ...original }), [])
})

const changes: [field: keyof AwardRequest, value: string | number | null, why: string][] = [
  ['tenantId', 't2', 'another tenant'],
  ['tenantId', 'T1', 'another case'],
  ['userEmail', 'minh@example.vn', 'another user'],
  ['amount', 5001, 'another amount, though the points are the same'],
  ['amount', 999, 'an amount below the minimum'],
  ['note', null, 'no note'],
  ['note', '', 'an empty note'],
  ['note', 'thanks ', 'a space more'],
  ['meta', null, 'no meta'],
  ['meta', '{}', 'an empty meta'],
  ['meta', '{"shop":1.11,"lines":[1,2]}', 'another number'],
  ['meta', '{"shop":1.10,"lines":[2,1]}', 'another order in an array'],
]
for (const [field, value, why] of changes) {
  test(`a changed ${field} is named: ${why}`, () => {
    assert.deepEqual(differingFields(known, { ...original, [field]: value }), [field])
  })
}

test('every changed field is named, in the order of the specification', () => {
  const other = { tenantId: 't2', orderId: 'A1', userEmail: 'x@y.vn', amount: 1, note: null, meta: null }
  assert.deepEqual(differingFields(known, other), ['tenantId', 'userEmail', 'amount', 'note', 'meta'])
})

const sameMetas: [why: string, meta: string][] = [
  ['its keys are in another order', '{"lines":[1,2],"shop":1.10}'],
  ['its white space is another', '{ "shop" : 1.10,\n"lines":[1, 2] }'],
  ['its numbers are written differently', '{"shop":1.1,"lines":[1,2e0]}'],
]
for (const [why, meta] of sameMetas) {
  test(`meta is the same when ${why}`, () => {
    assert.deepEqual(differingFields(known, { ...original, meta }), [])
  })
}

test('no digit of a long number in meta is rounded away', () => {
  const stored = knownAs(anAward({ meta: '{"id":12345678901234567890}' }))
  assert.deepEqual(differingFields(stored, anAward({ meta: '{"id":12345678901234567891}' })), ['meta'])
})

test('an empty meta is not an absent one', () => {
  assert.deepEqual(differingFields(knownAs(anAward()), anAward({ meta: '{}' })), ['meta'])
})

test('a meta of 32 levels, as deep as one may be, is compared', () => {
  const deep = (space: string) => `${`{"a":${space}`.repeat(31)}{}${'}'.repeat(31)}`
  assert.deepEqual(differingFields(knownAs(anAward({ meta: deep('') })), anAward({ meta: deep(' ') })), [])
})

test('a stored meta that is no longer JSON is a fault of the ledger and is thrown', () => {
  assert.throws(() => differingFields({ ...known, meta: '{' }, original), /stored meta/)
})

test('a replay with a small meta is compared in no time, however large the stored one is', () => {
  const large = `{"a":[${Array(8_000).fill('1').join()}]}`
  const other = large.replace('1', '2')
  const full = timeOf(other)
  const small = timeOf('{"z":1}')
  assert.ok(
    small * 4 < full,
    `${small} ms against ${full} ms: reading all of the stored one takes half as long`,
  )

  function timeOf(meta: string): number {
    const times = Array.from({ length: 9 }, () => {
      const started = performance.now()
      assert.deepEqual(differingFields({ ...known, meta: large }, { ...original, meta }), ['meta'])
      return performance.now() - started
    })
    return Math.min(...times)
  }
})
