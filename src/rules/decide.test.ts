import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anAward, knownAs } from '../../test/support/awards.ts'
import { type Decision, decide, type Facts } from './decide.ts'
import type { AwardCommand } from './entry.ts'

const caps = { perTx: 10, perPartnerDay: 100, perUserDay: 20 }
const noon = Date.parse('2026-03-01T05:00:00.000Z')
const midnight = Date.parse('2026-03-01T17:00:00.000Z')

type Case = { award: AwardCommand; facts: Facts }

function aCase(award: Partial<AwardCommand> = {}, facts: Partial<Facts> = {}): Case {
  const grant = { suspended: false, caps }
  return {
    award: anAward(award),
    facts: { grant, known: null, awardedAt: noon, partnerDayUsed: 0, userDayUsed: 0, ...facts },
  }
}

test('a new award that keeps every rule is credited, with its points and the caps in force', () => {
  assert.deepEqual(decided(aCase({ amount: 5999 })), { kind: 'credit', points: 5, caps })
})

test('a replay with the same payload credits nothing and names the original', () => {
  const known = knownAs(anAward({ epTransactionId: 'the first' }))
  assert.deepEqual(decided(aCase({ epTransactionId: 'the second' }, { known })), {
    kind: 'duplicate',
    original: known,
  })
})

const changes: [field: string, change: Partial<AwardCommand>][] = [
  ['tenantId', { tenantId: 't2' }],
  ['userEmail', { userEmail: 'minh@example.vn' }],
  ['amount', { amount: 6000 }],
  ['amount', { amount: 999 }],
  ['amount', { amount: 11_000 }],
  ['note', { note: 'x' }],
  ['meta', { meta: '{}' }],
]
for (const [field, change] of changes) {
  test(`a known order with ${JSON.stringify(change)} is a conflict that names ${field} and the original`, () => {
    const known = knownAs(anAward({ epTransactionId: 'the first' }), noon - 1)
    assert.deepEqual(rejection(aCase(change, { known })), {
      code: 'ORDER_ID_CONFLICT',
      differs: [field],
      epTransactionId: 'the first',
      awardedAt: noon - 1,
    })
  })
}

const rejections: [why: string, of: Case, rejection: object][] = [
  ['a tenant that is not the partner’s', aCase({}, { grant: null }), { code: 'TENANT_NOT_ALLOWED' }],
  ['a suspended partner', aCase({}, { grant: { suspended: true, caps } }), { code: 'PARTNER_SUSPENDED' }],
  ['an amount of 1', aCase({ amount: 1 }), { code: 'AMOUNT_BELOW_MIN', minimum: 1000 }],
  ['an amount of 999', aCase({ amount: 999 }), { code: 'AMOUNT_BELOW_MIN', minimum: 1000 }],
  ['perTx + 1', aCase({ amount: 11_000 }), { code: 'PER_TX_CAP_EXCEEDED', limit: 10, requested: 11 }],
  [
    'perPartnerDay + 1, telling the partner what it used',
    aCase({ amount: 5000 }, { partnerDayUsed: 96 }),
    {
      code: 'DAILY_CAP_EXCEEDED',
      cap: 'perPartnerDay',
      limit: 100,
      used: 96,
      requested: 5,
      resetsAt: midnight,
    },
  ],
  [
    'perUserDay + 1, never telling what other partners gave',
    aCase({ amount: 5000 }, { userDayUsed: 16 }),
    { code: 'DAILY_CAP_EXCEEDED', cap: 'perUserDay', limit: 20, requested: 5, resetsAt: midnight },
  ],
  [
    'a cap lowered below what is used',
    aCase({ amount: 1000 }, { userDayUsed: 30 }),
    { code: 'DAILY_CAP_EXCEEDED', cap: 'perUserDay', limit: 20, requested: 1, resetsAt: midnight },
  ],
  [
    'a cap of zero',
    aCase({ amount: 1000 }, { grant: { suspended: false, caps: { ...caps, perTx: 0 } } }),
    { code: 'PER_TX_CAP_EXCEEDED', limit: 0, requested: 1 },
  ],
]
for (const [why, of, expected] of rejections) {
  test(`refused: ${why}`, () => {
    assert.deepEqual(rejection(of), expected)
  })
}

const credits: [why: string, of: Case, points: number][] = [
  ['an amount of 1000, the smallest', aCase({ amount: 1000 }), 1],
  ['an amount of 1999', aCase({ amount: 1999 }), 1],
  ['points = perTx, measured in EP and not in the raw amount', aCase({ amount: 10_999 }), 10],
  ['used + points = perPartnerDay', aCase({}, { partnerDayUsed: 95 }), 5],
  ['used + points = perUserDay', aCase({}, { userDayUsed: 15 }), 5],
  ['a smaller one where a larger did not fit', aCase({ amount: 4000 }, { userDayUsed: 16 }), 4],
]
for (const [why, of, points] of credits) {
  test(`credited: ${why}`, () => {
    assert.deepEqual(decided(of), { kind: 'credit', points, caps })
  })
}

test('an order refused by a daily cap is credited the next day: a rejection burns nothing', () => {
  assert.equal(answer(aCase({}, { userDayUsed: 20 })), 'DAILY_CAP_EXCEEDED perUserDay')
  assert.equal(answer(aCase({}, { userDayUsed: 0, awardedAt: midnight })), 'credit')
})

/**
 * The published order. Each check can be broken on its own and together with any other; a perTx of -1, which no
 * operator can set, is the only one that even 0 points exceed.
 */
const order: [answer: string, broken: (of: Case) => Case][] = [
  ['TENANT_NOT_ALLOWED', (of) => withFacts(of, { grant: null })],
  ['duplicate', (of) => withFacts(of, { known: knownAs(of.award) })],
  ['ORDER_ID_CONFLICT', (of) => withFacts(of, { known: { ...knownAs(of.award), note: 'another' } })],
  ['PARTNER_SUSPENDED', (of) => withGrant(of, { suspended: true })],
  ['AMOUNT_BELOW_MIN', (of) => ({ ...of, award: { ...of.award, amount: 999 } })],
  ['PER_TX_CAP_EXCEEDED', (of) => withGrant(of, { caps: { ...caps, perTx: -1 } })],
  ['DAILY_CAP_EXCEEDED perPartnerDay', (of) => withFacts(of, { partnerDayUsed: caps.perPartnerDay + 1 })],
  ['DAILY_CAP_EXCEEDED perUserDay', (of) => withFacts(of, { userDayUsed: caps.perUserDay + 1 })],
]
for (const [at, [first, breakFirst]] of order.entries()) {
  for (const [second, breakSecond] of order.slice(at + 1)) {
    if (first === 'duplicate' && second === 'ORDER_ID_CONFLICT') continue // an order is one or the other
    test(`${first} comes before ${second}`, () => {
      assert.equal(answer(breakSecond(aCase())), second)
      assert.equal(answer(breakFirst(breakSecond(aCase()))), first)
    })
  }
}

function withFacts(of: Case, facts: Partial<Facts>): Case {
  return { ...of, facts: { ...of.facts, ...facts } }
}

function withGrant(of: Case, grant: Partial<NonNullable<Facts['grant']>>): Case {
  return of.facts.grant === null ? of : withFacts(of, { grant: { ...of.facts.grant, ...grant } })
}

function decided({ award, facts }: Case): Decision {
  return decide(award, facts)
}

function rejection(of: Case) {
  const decision = decided(of)
  assert.ok(decision.kind === 'reject')
  return decision.rejection
}

function answer(of: Case): string {
  const decision = decided(of)
  if (decision.kind !== 'reject') return decision.kind
  const { rejection } = decision
  return rejection.code === 'DAILY_CAP_EXCEEDED' ? `${rejection.code} ${rejection.cap}` : rejection.code
}
