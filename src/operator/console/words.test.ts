import assert from 'node:assert/strict'
import { test } from 'node:test'
import { vietnamDay } from '../../rules/vietnam-day.ts'
import { fullAtOnce, usersFullAtOnce } from './site/words/full-at-once.ts'
import { abbreviated, counted, grouped, shortened, usePercent } from './site/words/numbers.ts'
import * as times from './site/words/times.ts'

const now = Date.parse('2026-11-16T14:32:07+07:00')

test('integers have commas, zero is 0 and unknown is an en dash', () => {
  assert.deepEqual([1_092_324, 999, 0, null, undefined].map(grouped), ['1,092,324', '999', '0', '–', '–'])
  assert.equal(counted(1, 'entry', 'entries'), '1 entry')
  assert.equal(counted(1_200, 'entry', 'entries'), '1,200 entries')
})

test('the use of a cap is rounded down, so that 100.0% means full', () => {
  assert.equal(usePercent(999_999, 1_000_000), '99.9%')
  assert.equal(usePercent(1_000_000, 1_000_000), '100.0%')
  assert.equal(usePercent(290, 1_000), '29.0%')
  assert.equal(usePercent(0, 5_000), '0.0%')
  assert.equal(usePercent(0, 0), '100.0%')
})

test('axes may abbreviate', () => {
  assert.deepEqual([0, 950, 9_999, 40_000, 4_000_000].map(abbreviated), [
    '0',
    '950',
    '9,999',
    '40 k',
    '4.0 M',
  ])
})

test('a long id is shortened, a short one is whole', () => {
  assert.equal(shortened('37e7702e-5ce4-449c-a122-5fa1b3b3ed8e'), '37e7702e-5ce4…')
  assert.equal(shortened('key_1'), 'key_1')
})

test('times are Vietnam time, with the day and the year only if they are not those of now', () => {
  const shown = (iso: string) => times.shortTime(Date.parse(iso), now)
  assert.equal(shown('2026-11-15T17:00:00Z'), '00:00:00')
  assert.equal(shown('2026-11-15T16:59:59.999Z'), '15 Nov, 23:59:59')
  assert.equal(shown('2026-11-09T03:02:44Z'), '9 Nov, 10:02:44')
  // New year in Vietnam, still the old one in UTC.
  assert.equal(shown('2025-12-31T17:30:00Z'), '1 Jan, 00:30:00')
  assert.equal(shown('2025-12-31T16:59:59Z'), '31 Dec 2025, 23:59:59')
})

test('a period names the days of both ends, unless they are the same', () => {
  const shown = (from: string, until: string) =>
    times.periodTimes(Date.parse(`${from}+07:00`), Date.parse(`${until}+07:00`), now)
  assert.deepEqual(shown('2026-11-15T00:00:00', '2026-11-16T00:00:00'), [
    '15 Nov, 00:00:00',
    '16 Nov, 00:00:00',
  ])
  assert.deepEqual(shown('2026-11-16T00:00:00', '2026-11-17T00:00:00'), [
    '16 Nov, 00:00:00',
    '17 Nov, 00:00:00',
  ])
  assert.deepEqual(shown('2026-11-16T08:00:00', '2026-11-16T09:00:00'), ['08:00:00', '09:00:00'])
  assert.deepEqual(shown('2026-11-09T08:00:00', '2026-11-09T09:00:00'), [
    '9 Nov, 08:00:00',
    '9 Nov, 09:00:00',
  ])
})

test('a clock is fast or slow, without a sign', () => {
  assert.deepEqual([-82_000, 3_140].map(times.clockDifference), ['82.0 s slow', '3.1 s fast'])
})

test('UTC stands beside it, and copied times name their offset', () => {
  const at = Date.parse('2026-11-16T07:29:40.512Z')
  assert.equal(times.longTime(at), '16 November 2026, 14:29:40')
  assert.equal(times.copiedTime(at), '16 November 2026 at 14:29:40 (UTC+7)')
  assert.equal(times.utcTime(at), '16 Nov 2026, 07:29:40 UTC')
  assert.equal(times.utcClock(at), '07:29:40 UTC')
})

test('days and months have names', () => {
  const day = vietnamDay(Date.parse('2026-11-15T12:00:00+07:00'))
  assert.equal(times.shortDay(day), '15 Nov 2026')
  assert.equal(times.longDay(day), 'Sunday 15 November 2026')
  assert.equal(times.monthName(day), 'November 2026')
})

test('durations are in the largest two units that say something', () => {
  const texts = [800, 42_500, 28 * 60_000, 34_125_000, 3 * 86_400_000 + 5, -3].map(times.duration)
  assert.deepEqual(texts, ['0.8 s', '42 s', '28 min', '9 h 28 min', '3 days', '0.0 s'])
})

test('a daily cap that today has already used up is said to refuse, in each tenant by its own use', () => {
  const accounts = [
    { tenantId: 'shop', points: 2_900 },
    { tenantId: 'vn-south', points: 1_500 },
    { tenantId: 'vn-north', points: 1_499 },
  ]
  assert.equal(
    fullAtOnce(1_500, accounts),
    "1,500 is below today's 2,900 EP in shop: further awards of today will be refused. " +
      "1,500 is not above today's 1,500 EP in vn-south: further awards of today will be refused.",
  )
  assert.equal(fullAtOnce(2_901, accounts), null)
  const ofPartners = [1, 2, 3, 4].map((number) => ({ partnerId: `p${number}`, tenantId: 't1', points: 9 }))
  assert.match(
    fullAtOnce(5, ofPartners)!,
    /^5 is below today's 9 EP of p1 in t1: .*of p3 in t1: .*refused\. The same is true of 1 other account that has this cap\.$/,
  )
})

test('a new perUserDay says how many users have received as much today, without naming one', () => {
  const users = (...points: number[]) => points.map((one) => ({ points: one }))
  const tenants = [
    { tenantId: 't1', users: users(900, 500, 40) },
    { tenantId: 't2', users: users(500) },
    { tenantId: 't3', users: users(499) },
  ]
  assert.equal(
    usersFullAtOnce(500, tenants),
    'In t1, 2 users received up to 900 EP today, which 500 is below: their further awards of today will be refused. ' +
      'In t2, 1 user received 500 EP today, which 500 is not above: their further awards of today will be refused.',
  )
  assert.equal(usersFullAtOnce(901, tenants), null)
  const many = [{ tenantId: 't1', users: users(...Array<number>(20).fill(7)) }]
  assert.match(usersFullAtOnce(5, many)!, /^In t1, at least 20 users /)
})
