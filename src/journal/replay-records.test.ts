import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { HmacKey } from '../shortcuts/hmac-key.ts'
import { orderFingerprint } from './journal-key.ts'
import { ReplayRecords } from './replay-records.ts'

const key = new HmacKey('a key')
const acme = { partnerId: 'acme', keyId: 'key_1' }
const perHour = 500
const hourMs = 3_600_000

test('an order that is sent again and again takes one record of each key, however often', () => {
  const records = new ReplayRecords()
  for (let at = 1; at <= 5_000; at++) records.add({ ...acme, orderId: 'A1', at })
  records.add({ ...acme, keyId: 'key_2', orderId: 'A1', at: 6_000 })
  records.add({ partnerId: 'globex', keyId: 'key_3', orderId: 'A1', at: 7_000 })
  const fingerprint = { orderFingerprint: orderFingerprint(key, 'A1') }
  deepEqual(records.take(key), [
    { ...fingerprint, ...acme, replays: 5_000, firstAt: 1, lastAt: 5_000 },
    { ...fingerprint, ...acme, keyId: 'key_2', replays: 1, firstAt: 6_000, lastAt: 6_000 },
    { ...fingerprint, partnerId: 'globex', keyId: 'key_3', replays: 1, firstAt: 7_000, lastAt: 7_000 },
  ])
  deepEqual(records.take(key), [])
})

test('replays beyond the quota of a partner and hour are counted as left out; other partners are not affected', () => {
  const records = new ReplayRecords()
  for (let order = 0; order < perHour + 20; order++) records.add({ ...acme, orderId: `A${order}`, at: order })
  records.add({ partnerId: 'globex', keyId: 'key_3', orderId: 'G1', at: 1 })
  const taken = records.take(key)
  equal(taken.filter(({ orderFingerprint }) => orderFingerprint !== null).length, perHour + 1)
  const leftOut = { partnerId: 'acme', orderFingerprint: null, keyId: null }
  deepEqual(taken.at(-1), { ...leftOut, replays: 20, firstAt: perHour, lastAt: perHour + 19 })
  records.add({ ...acme, orderId: 'A1', at: hourMs })
  equal(records.take(key)[0]?.replays, 1, 'in the next hour')
})

test('one batch has a bound for the orders of all partners, and what could not be written counts as left out', () => {
  const records = new ReplayRecords()
  const partners = 4
  for (let partner = 0; partner < partners; partner++)
    for (let order = 0; order < perHour; order++)
      records.add({ partnerId: `p${partner}`, keyId: `k${partner}`, orderId: `A${order}`, at: order })
  const taken = records.take(key)
  const replaysOf = (some: typeof taken) => some.reduce((sum, { replays }) => sum + replays, 0)
  const leftOut = taken.filter(({ orderFingerprint }) => orderFingerprint === null)
  equal(taken.length - leftOut.length, 1_000)
  equal(replaysOf(taken), partners * perHour)

  records.drop(taken)
  const dropped = records.take(key)
  deepEqual(
    dropped.map(({ partnerId, orderFingerprint, replays }) => [partnerId, orderFingerprint, replays]),
    ['p0', 'p1', 'p2', 'p3'].map((partnerId) => [partnerId, null, perHour]),
  )
})
