import assert from 'node:assert/strict'
import { test } from 'node:test'
import { awardSum } from './site/words/award-reasons.ts'
import type { Refusal } from './site/words/refusal.ts'
import { type Forecast, sendAgain } from './site/words/send-again.ts'

const now = Date.parse('2026-11-16T14:32:00+07:00')
const refused = {
  at: '2026-11-16T07:29:40.000Z',
  endpoint: 'award',
  code: 'DAILY_CAP_EXCEEDED',
  tenantId: 'vn-south',
  cap: 'perPartnerDay',
  limit: 500_000,
  requested: 2_390,
  used: 498_720,
  requestId: 'r-1',
} as const satisfies Refusal
const still: Forecast = {
  outcome: {
    kind: 'reject',
    code: 'DAILY_CAP_EXCEEDED',
    cap: 'perPartnerDay',
    used: 499_000,
    requested: 2_390,
  },
  largest: 1_000,
}

test('a refused award fits after the reset, or from the cap that holds what is used now and the award', () => {
  assert.deepEqual(sendAgain(refused, still, now), [
    { when: 'Now', fits: false, text: '1,000 EP fit, 2,390 needed' },
    { when: 'From 17 Nov, 00:00', fits: true, text: "in 9 h 28 min, if the user's own cap allows it" },
    { when: 'With a higher perPartnerDay', fits: true, text: 'from 501,390 EP' },
  ])
})

test('once the day is over there is no reset to wait for', () => {
  const credit: Forecast = { outcome: { kind: 'credit', points: 2_390 }, largest: 10_000 }
  assert.deepEqual(
    sendAgain(refused, credit, now + 86_400_000).map(({ when, fits }) => ({ when, fits })),
    [
      { when: 'Now', fits: true },
      { when: 'With a higher perPartnerDay', fits: true },
    ],
  )
})

test('an award larger than the whole day does not fit after the reset', () => {
  const [, reset] = sendAgain({ ...refused, limit: 2_000, used: 0 }, still, now)
  assert.equal(reset!.fits, false)
})

test('of a perUserDay refusal nothing is said about a higher cap: the user is not known', () => {
  const rows = sendAgain({ ...refused, cap: 'perUserDay', used: null }, null, now)
  assert.deepEqual(
    rows.map(({ when }) => when),
    ['From 17 Nov, 00:00'],
  )
})

test('an award of 12,990 is 12 EP and not 13, because 990 are left over', () => {
  const { title, lines, sentence } = awardSum({
    rawAmount: 12_990,
    amountPerEp: 1_000,
    points: 12,
    remainder: 990,
  })
  assert.equal(title, 'Why 12 EP and not 13')
  assert.deepEqual(
    lines.map(({ value }) => value),
    ['12,990', '÷ 1,000', '12.990', '12 EP', '990'],
  )
  assert.equal(sentence, '13 EP need an amount of 13,000 or more. Every award is rounded down by itself.')
  assert.equal(awardSum({ rawAmount: 5_000, amountPerEp: 1_000, points: 5, remainder: 0 }).title, 'Why 5 EP')
  assert.equal(
    awardSum({ rawAmount: 5_007, amountPerEp: 1_000, points: 5, remainder: 7 }).lines[2]!.value,
    '5.007',
  )
})
