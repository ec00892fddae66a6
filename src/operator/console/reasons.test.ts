import assert from 'node:assert/strict'
import { test } from 'node:test'
import { awardSum } from './site/words/award-reasons.ts'
import type { Refusal } from './site/words/refusal.ts'
import { checkText } from './site/words/checks.ts'
import { dependsOnUser, sendAgain } from './site/words/send-again.ts'

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
const full = {
  refusal: refused,
  now: {
    outcome: { kind: 'reject', code: 'DAILY_CAP_EXCEEDED', used: 499_000, requested: 2_390 },
    largest: 1_000,
  },
  afterReset: { outcome: { kind: 'credit', points: 2_390 }, largest: 10_000 },
  resetsAt: '2026-11-16T17:00:00.000Z',
  neededCap: 501_110,
} as const

test('a refused award fits after the reset, or from the cap that holds what is used now and the award', () => {
  assert.deepEqual(sendAgain(full, now), [
    { when: 'Now', fits: false, text: '1,000 EP fit, 2,390 needed' },
    { when: 'From 17 Nov, 00:00', fits: true, text: "in 9 h 28 min, if the user's own cap allows it" },
    { when: 'With a higher perPartnerDay', fits: true, text: 'from 501,390 EP', isCap: true },
  ])
})

test('an award that fits now needs no other cap', () => {
  const rows = sendAgain({ ...full, now: full.afterReset, afterReset: null }, now + 86_400_000)
  assert.deepEqual(rows, [
    { when: 'Now', fits: true, text: "with 2,390 EP, if the user's own cap allows it" },
  ])
})

test('of a perUserDay refusal nothing is said about now or a higher cap: the user is not known', () => {
  const rows = sendAgain(
    { ...full, refusal: { ...refused, cap: 'perUserDay' }, now: null, neededCap: null },
    now,
  )
  assert.deepEqual(
    rows.map(({ when, fits, text }) => [when, fits, text]),
    [
      ['Now', null, 'it depends on the user, who is not on record'],
      ['From 17 Nov, 00:00', true, 'in 9 h 28 min, unless the user is near the cap of the new day by then'],
    ],
  )
})

test('with the user, a perUserDay refusal says what would happen now', () => {
  const ofUser = { ...full, refusal: { ...refused, cap: 'perUserDay' }, now: null, neededCap: null }
  const refusedNow = { kind: 'reject', code: 'DAILY_CAP_EXCEEDED', requested: 2_390 } as const
  assert.deepEqual(sendAgain(ofUser, now, { outcome: refusedNow, largest: 110 })[0], {
    when: 'Now, to this user',
    fits: false,
    text: '110 EP fit, 2,390 needed',
  })
  const credited = { kind: 'credit', points: 2_390 } as const
  assert.deepEqual(sendAgain(ofUser, now, { outcome: credited, largest: 5_000 })[0], {
    when: 'Now, to this user',
    fits: true,
    text: 'with 2,390 EP',
  })
  assert.equal(dependsOnUser(ofUser), true)
  assert.equal(dependsOnUser(full), false, 'the cap of the partner refuses, whoever the user is')
})

test('of a perUserDay refusal before the reset, today counts, and not the cap that refused', () => {
  const refusal = { ...refused, cap: 'perUserDay' }
  const rows = sendAgain({ ...full, refusal, now: full.afterReset, afterReset: null, neededCap: null }, now)
  assert.deepEqual(rows, [
    {
      when: 'Now',
      fits: true,
      text: 'with 2,390 EP, unless the user is near the cap of the new day already',
    },
  ])
})

test('an award over perTx fits from a cap of its own size', () => {
  const refusal = { ...refused, code: 'PER_TX_CAP_EXCEEDED', cap: 'perTx', used: null } as const
  const [, row] = sendAgain({ ...full, refusal, afterReset: null, neededCap: null }, now)
  assert.deepEqual(row, { when: 'With a higher perTx', fits: true, text: 'from 2,390 EP', isCap: true })
})

test('a check that was passed says what it looked at, and the one that failed has the comparison', () => {
  const text = (code: string, name: string, result: 'passed' | 'failed' | 'not reached') =>
    checkText({ code, name, result }, refused)
  assert.equal(text('TENANT_NOT_ALLOWED', 'tenant', 'passed'), 'vn-south is allowed for this partner')
  assert.equal(text('PER_TX_CAP_EXCEEDED', 'perTx', 'passed'), '2,390 EP had room')
  assert.equal(text('DAILY_CAP_EXCEEDED', 'perPartnerDay', 'failed'), '498,720 + 2,390 = 501,110 > 500,000')
  assert.equal(text('DAILY_CAP_EXCEEDED', 'perUserDay', 'not reached'), 'Not reached')
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
