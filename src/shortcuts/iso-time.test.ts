import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { simpleIsoTimes } from '../../test/support/simple-versions.ts'
import { createIsoTimes } from './iso-time.ts'

const isoTime = createIsoTimes()
const simple = simpleIsoTimes()

test('a time is written as Date writes it, whatever was written before', () => {
  const times = fc.integer({ min: -8.64e15, max: 8.64e15 })
  const near = fc.integer({ min: 1_790_000_000_000, max: 1_790_200_000_000 })
  fc.assert(
    fc.property(fc.array(fc.oneof(times, near), { minLength: 1 }), (list) => {
      for (const ms of list.flatMap((ms) => [ms, ms])) assert.equal(isoTime(ms), simple(ms))
    }),
  )
})

for (const text of [
  '1970-01-01T00:00:00.000Z',
  '1969-12-31T23:59:59.999Z',
  '2026-02-28T23:59:59.999Z',
  '2028-02-29T00:00:00.001Z',
  '2026-03-01T09:08:07.060Z',
  '9999-12-31T23:59:59.999Z',
]) {
  test(`${text} is written so`, () => assert.equal(isoTime(Date.parse(text)), text))
}

test('a time that is none is refused as Date refuses it', () => {
  assert.throws(() => isoTime(Number.NaN), RangeError)
  assert.throws(() => isoTime(8.64e15 + 1), RangeError)
})
