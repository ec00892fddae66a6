import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timestampRefusal } from './timestamp.ts'

const now = 1_763_186_400_000
const windowMs = 300_000

test('a timestamp up to the window to either side of our clock is in range, the window included', () => {
  for (const skewMs of [0, 1, -1, 299_999, -299_999, 300_000, -300_000]) {
    assert.equal(timestampRefusal(String(now + skewMs), now, windowMs), null, String(skewMs))
  }
})

test('a timestamp a millisecond beyond the window is out of range, and by how much is said', () => {
  for (const skewMs of [300_001, -300_001, 86_400_000, -86_400_000]) {
    assert.deepEqual(timestampRefusal(String(now + skewMs), now, windowMs), {
      code: 'TIMESTAMP_OUT_OF_RANGE',
      serverTime: now,
      skewMs,
    })
  }
})

test('the window is the one that is configured', () => {
  assert.equal(timestampRefusal(String(now - 5), now, 5), null)
  assert.equal(timestampRefusal(String(now - 6), now, 5)?.skewMs, -6)
})

test('a timestamp in seconds is recognized', () => {
  const refusal = timestampRefusal(String(now / 1000), now, windowMs)
  assert.equal(refusal?.code, 'TIMESTAMP_OUT_OF_RANGE')
  assert.match(refusal?.hint ?? '', /seconds were sent/)
  assert.equal(refusal?.skewMs, now / 1000 - now)
})

test('a timestamp that is not plain digits is out of range whatever it would be as a number', () => {
  const forms = [
    'abc',
    '',
    ' ',
    `${now}.0`,
    `${now}.5`,
    `+${now}`,
    `-${now}`,
    `0${now}`,
    ` ${now}`,
    `${now} `,
    `${now}\n`,
    `0x${now.toString(16)}`,
    '1.7631864e12',
    '1e12',
    '1_763_186_400_000',
    '１７６３１８６４０００００',
    'Infinity',
    'NaN',
    '0',
    '12345678901234567',
  ]
  for (const form of forms) {
    const refusal = timestampRefusal(form, now, windowMs)
    assert.equal(refusal?.code, 'TIMESTAMP_OUT_OF_RANGE', form)
    assert.equal(refusal?.serverTime, now)
    assert.equal(refusal !== null && 'skewMs' in refusal, false, form)
    assert.match(refusal?.hint ?? '', /plain digits/, form)
  }
})

test('the longest plain digits are out of range by their distance', () => {
  assert.ok(timestampRefusal('9999999999999999', now, windowMs)!.skewMs! > windowMs)
})
