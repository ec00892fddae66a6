import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry } from '../../src/rules/entry.ts'
import { checkDays, midnightAfter } from './day-ledger.ts'

/** 17:00 in London is midnight in Vietnam. */
const midnight = Date.parse('2026-11-15T17:00:00Z')
const caps = { perPartnerDay: () => 10, perUserDay: 8 }

function entry(seq: number, awardedAt: number, points: number, partnerDayTotal: number, user = 'lan'): Entry {
  const account = { partnerId: 'acme', tenantId: 't1', userEmail: `${user}@example.vn` }
  return { ...account, seq, awardedAt, points, partnerDayTotal, epTransactionId: `id-${seq}` } as Entry
}

test('the Vietnam day ends at 17:00 UTC', () => {
  assert.deepEqual([midnight - 1, midnight].map(midnightAfter), [midnight, midnight + 86_400_000])
})

test('two full days side by side are fine', () => {
  const entries = [
    entry(1, midnight - 2, 8, 8),
    entry(2, midnight - 1, 2, 10, 'minh'),
    entry(3, midnight, 8, 8),
    entry(4, midnight, 2, 10, 'minh'),
  ]
  assert.deepEqual(checkDays(entries, caps), [])
})

const forged: [what: string, finding: RegExp, entries: Entry[]][] = [
  [
    'a day that goes on after midnight',
    /^I15: id-2 counts 8/,
    [entry(1, midnight - 1, 4, 4), entry(2, midnight, 4, 8)],
  ],
  [
    'a day that began before midnight',
    /^I15: id-2 counts 4/,
    [entry(1, midnight - 2, 4, 4), entry(2, midnight - 1, 4, 4)],
  ],
  [
    'a time before the one before',
    /^I16: id-2 is older/,
    [entry(1, midnight, 4, 4), entry(2, midnight - 1, 4, 4)],
  ],
  [
    "a partner's day beyond its cap",
    /^I13: acme.t1 has 12/,
    [entry(1, midnight, 6, 6), entry(2, midnight, 6, 12, 'minh')],
  ],
  [
    "a user's day beyond its cap",
    /^I13: a user of t1 has 9/,
    [entry(1, midnight, 5, 5), entry(2, midnight, 4, 9)],
  ],
]
for (const [what, finding, entries] of forged) {
  test(`${what} is found`, () => {
    assert.ok(checkDays(entries, caps).some((violation) => finding.test(violation)))
  })
}
