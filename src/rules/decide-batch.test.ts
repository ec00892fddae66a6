import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anAward, knownAs } from '../../test/support/awards.ts'
import { accountOf, dayOf, plainAnswer, usedByPartner, usedByUser } from '../../test/support/plain-ledger.ts'
import {
  accountKey,
  type BatchDecision,
  type BatchFacts,
  decideBatch,
  nextAwardedAt,
  orderKey,
  userDayKey,
} from './decide-batch.ts'
import { type Entry, emptyAccount } from './entry.ts'
import { entryHash } from './entry-hash.ts'

const caps = { perTx: 5, perPartnerDay: 12, perUserDay: 8 }
const midnight = Date.parse('2026-03-01T17:00:00.000Z')
const noon = midnight - 43_200_000
const dayMs = 86_400_000

test('a credited award becomes the first entry of its account, with all that an auditor needs', () => {
  const award = anAward({ amount: 3999, note: 'thanks', meta: '{"shop": 1.10}' })
  const { outcomes, entries, accounts, userDays } = decideBatch([award], someFacts(), noon)
  const { amount, ...fields } = award
  const [entry] = entries as [Entry]
  const { hash, ...hashed } = entry
  assert.deepEqual(hashed, {
    ...fields,
    seq: 1,
    commitment: null,
    rawAmount: 3999,
    amountPerEp: 1000,
    points: 3,
    awardedAt: noon,
    caps,
    partnerDayTotal: 3,
    userDayTotal: 3,
  })
  const day = dayOf(noon)
  assert.deepEqual(hash, entryHash(hashed, new Uint8Array(32)))
  assert.deepEqual(accounts, [
    {
      partnerId: 'acme',
      tenantId: 't1',
      account: { seq: 1, headHash: hash, awardedAt: noon, day, dayPoints: 3 },
    },
  ])
  assert.deepEqual(userDays, [{ tenantId: 't1', userEmail: award.userEmail, day, points: 3 }])
  const { epTransactionId } = award
  const credited = {
    kind: 'credited',
    epTransactionId,
    points: 3,
    partnerDayRemaining: 9,
    dayResetsAt: midnight,
  }
  assert.deepEqual(outcomes, [credited])
})

test('an award continues the chain, the counters and the totals that the ledger holds', () => {
  const headHash = new Uint8Array(32).fill(7)
  const facts = someFacts()
  const award = anAward({ amount: 2000 })
  const day = dayOf(noon)
  facts.accounts.set(accountKey(award), { seq: 41, headHash, awardedAt: noon - 1, day, dayPoints: 6 })
  facts.userDays.set(userDayKey({ ...award, day }), 4)
  const { outcomes, entries } = decideBatch([award], facts, noon)
  const [{ hash, ...entry }] = entries as [Entry]
  assert.deepEqual([entry.seq, entry.partnerDayTotal, entry.userDayTotal], [42, 8, 6])
  assert.deepEqual(hash, entryHash(entry, headHash))
  const [outcome] = outcomes
  assert.equal(outcome?.kind === 'credited' && outcome.partnerDayRemaining, 4)
})

test('a replay of a stored order credits nothing and names the original', () => {
  const facts = someFacts()
  facts.known.set(orderKey(anAward()), knownAs(anAward({ epTransactionId: 'the first' })))
  const decision = decideBatch([anAward({ epTransactionId: 'the second' })], facts, noon)
  const outcomes = [{ kind: 'duplicate', epTransactionId: 'the first', points: 5 }]
  assert.deepEqual(decision, { outcomes, entries: [], accounts: [], userDays: [] })
})

test('a rejection writes nothing, and its batch goes on', () => {
  const commands = [anAward({ orderId: 'bad', amount: 6000 }), anAward({ orderId: 'good' })]
  const { outcomes, entries } = decideBatch(commands, someFacts(), noon)
  const rejection = { code: 'PER_TX_CAP_EXCEEDED', limit: 5, requested: 6 }
  assert.deepEqual(outcomes[0], { kind: 'rejected', rejection })
  assert.deepEqual(
    entries.map(({ orderId, seq }) => [orderId, seq]),
    [['good', 1]],
  )
})

test('an account without a grant is refused', () => {
  const { outcomes } = decideBatch([anAward({ tenantId: 'unknown' })], someFacts(), noon)
  assert.deepEqual(outcomes, [{ kind: 'rejected', rejection: { code: 'TENANT_NOT_ALLOWED' } }])
})

test('copies of one order in a batch credit once; the others are its duplicates', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 30 }), (copies) => {
      const commands = Array.from({ length: copies }, (_, index) =>
        anAward({ epTransactionId: `id ${index}` }),
      )
      const { outcomes, entries } = decideBatch(commands, someFacts(), noon)
      assert.deepEqual(
        entries.map(({ epTransactionId }) => epTransactionId),
        ['id 0'],
      )
      const [first, ...others] = outcomes
      assert.equal(first!.kind, 'credited')
      for (const other of others) {
        assert.deepEqual(other, { kind: 'duplicate', epTransactionId: 'id 0', points: 5 })
      }
    }),
  )
})

test('a changed copy in the same batch is a conflict, also in another tenant', () => {
  const commands = [anAward(), anAward({ amount: 999 }), anAward({ tenantId: 't2' })]
  const { outcomes } = decideBatch(commands, someFacts(), noon)
  const differs = outcomes.map(
    (of) => of.kind === 'rejected' && 'differs' in of.rejection && of.rejection.differs,
  )
  assert.deepEqual(differs, [false, ['amount'], ['tenantId']])
})

test('the same orderId of another partner is another order', () => {
  const { outcomes } = decideBatch(
    [anAward(), anAward({ partnerId: 'beta', amount: 3000 })],
    someFacts(),
    noon,
  )
  assert.deepEqual(
    outcomes.map(({ kind }) => kind),
    ['credited', 'credited'],
  )
})

test('an award in the last millisecond fills the old day, one at midnight opens the new', () => {
  const fills = [1, 2].map((n) => anAward({ orderId: `${n}`, userEmail: `u${n}@x.vn` }))
  const last = anAward({ orderId: '3', userEmail: 'u3@x.vn', amount: 3000 })
  const facts = someFacts()
  const batches = [[...fills], [last], [last]]
  const kinds = batches.map((commands, index) => {
    const decision = decideBatch(commands, facts, index < 2 ? midnight - 1 : midnight)
    apply(decision, facts)
    return decision.outcomes.map(({ kind }) => kind)
  })
  assert.deepEqual(kinds, [['credited', 'credited'], ['rejected'], ['credited']])
})

test('a clock that jumps back neither turns the order round nor re-opens a day', () => {
  const facts = someFacts()
  const five = (orderId: string) => anAward({ orderId, userEmail: `${orderId}@x.vn` })
  apply(decideBatch([five('a'), five('b')], facts, midnight), facts)
  const { outcomes, entries } = decideBatch([five('c'), anAward({ orderId: 'd', amount: 2000 })], facts, noon)
  assert.deepEqual(
    outcomes.map(({ kind }) => kind),
    ['rejected', 'credited'],
  )
  assert.deepEqual(
    entries.map(({ awardedAt, partnerDayTotal }) => [awardedAt, partnerDayTotal]),
    [[midnight, 12]],
  )
  assert.equal(nextAwardedAt({ ...emptyAccount, awardedAt: midnight }, noon), midnight)
  assert.equal(nextAwardedAt({ ...emptyAccount, awardedAt: noon }, midnight), midnight)
})

test('the keys of the maps never confuse two accounts, orders or user days', () => {
  const apart: [string, string][] = [
    [accountKey({ partnerId: 'ab', tenantId: 'c' }), accountKey({ partnerId: 'a', tenantId: 'bc' })],
    [orderKey({ partnerId: 'ab', orderId: 'c' }), orderKey({ partnerId: 'a', orderId: 'bc' })],
    [orderKey({ partnerId: 'a', orderId: ' 1' }), orderKey({ partnerId: 'a', orderId: '1' })],
    [userDayOf('t1', 1, 'a@x.vn'), userDayOf('t', 11, 'a@x.vn')],
    [userDayOf('t', 1, '1a@x.vn'), userDayOf('t', 11, 'a@x.vn')],
  ]
  for (const [a, b] of apart) assert.notEqual(a, b)

  function userDayOf(tenantId: string, day: number, userEmail: string): string {
    return userDayKey({ tenantId, day, userEmail })
  }
})

// Few partners, tenants, users and orders, small caps and a clock near midnight: so that everything collides.
const awards = fc.record({
  partnerId: fc.constantFrom('acme', 'acme', 'beta', 'suspended'),
  tenantId: fc.constantFrom('t1', 't1', 't2', 'not granted'),
  orderId: fc.nat(12).map(String),
  userEmail: fc.constantFrom('lan@x.vn', 'minh@x.vn'),
  amount: fc.constantFrom(999, 1000, 1999, 2000, 3000, 5999, 6000),
  note: fc.constantFrom(null, null, null, 'x'),
})
const clocks = fc
  .oneof(fc.integer({ min: -dayMs, max: dayMs }), fc.constantFrom(-1, 0, 1))
  .map((ms) => midnight + ms)
const histories = fc
  .array(fc.record({ now: clocks, commands: fc.array(awards, { maxLength: 12 }) }), { maxLength: 6 })
  .map((batches) =>
    batches.map(({ now, commands }, batch) => ({
      now,
      commands: commands.map((award, at) => anAward({ ...award, epTransactionId: `id ${batch}.${at}` })),
    })),
  )

test('a batch decides as if its commands came one by one', () => {
  fc.assert(
    fc.property(histories, (batches) => {
      const [together, oneByOne] = [someFacts(), someFacts()]
      for (const { now, commands } of batches) {
        const whole = decideBatch(commands, together, now)
        const parts = commands.map((command) => {
          const part = decideBatch([command], oneByOne, now)
          apply(part, oneByOne)
          return part
        })
        apply(whole, together)
        assert.deepEqual(
          whole.outcomes,
          parts.flatMap(({ outcomes }) => outcomes),
        )
        assert.deepEqual(
          whole.entries,
          parts.flatMap(({ entries }) => entries),
        )
        assert.deepEqual(together, oneByOne)
      }
    }),
  )
})

test('every outcome is the one of a plain model that sums up all entries each time', () => {
  fc.assert(
    fc.property(histories, (batches) => {
      const facts = someFacts()
      const ledger: Entry[] = []
      for (const { now, commands } of batches) {
        const { outcomes, ...decision } = decideBatch(commands, facts, now)
        apply(decision, facts)
        const expected: string[] = []
        for (const command of commands) {
          const answer = plainAnswer(command, ledger, { now, caps, grants: facts.grants })
          expected.push(answer)
          if (answer === 'credited') ledger.push(decision.entries.shift()!)
        }
        const actual = outcomes.map((of) => (of.kind === 'rejected' ? of.rejection.code : of.kind))
        assert.deepEqual(actual, expected)
        assert.deepEqual(decision.entries, [], 'no entry without a credit')
      }
    }),
    { numRuns: 300 },
  )
})

test('in any history seq has no gap, time never runs back, the chain holds, totals are sums within the caps', () => {
  fc.assert(
    fc.property(histories, (batches) => {
      const facts = someFacts()
      const ledger: Entry[] = []
      for (const { now, commands } of batches) {
        const decision = decideBatch(commands, facts, now)
        apply(decision, facts)
        ledger.push(...decision.entries)
      }
      for (const [at, entry] of ledger.entries()) {
        const before = ledger.slice(0, at)
        const predecessor = before.findLast((other) => accountOf(other) === accountOf(entry))
        assert.equal(entry.seq, (predecessor?.seq ?? 0) + 1)
        assert.ok(entry.awardedAt >= (predecessor?.awardedAt ?? 0))
        assert.deepEqual(entry.hash, entryHash(entry, predecessor?.hash ?? new Uint8Array(32)))
        const totals = { partnerDay: usedByPartner(entry, before), userDay: usedByUser(entry, before) }
        assert.equal(entry.partnerDayTotal, totals.partnerDay + entry.points)
        assert.equal(entry.userDayTotal, totals.userDay + entry.points)
        assert.ok(entry.points >= 1 && entry.points <= caps.perTx)
        assert.ok(entry.partnerDayTotal <= caps.perPartnerDay && entry.userDayTotal <= caps.perUserDay)
      }
      const orders = ledger.map(({ partnerId, orderId }) => `${partnerId} ${orderId}`)
      assert.equal(new Set(orders).size, orders.length, 'an order was credited twice')
    }),
    { numRuns: 300 },
  )
})

test('deciding changes no facts, so that a batch whose commit failed leaves nothing behind', () => {
  fc.assert(
    fc.property(histories, (batches) => {
      const facts = someFacts()
      for (const { now, commands } of batches) {
        const before = written(facts)
        const first = decideBatch(commands, facts, now)
        assert.equal(written(facts), before)
        assert.deepEqual(decideBatch(commands, facts, now), first, 'decided again, it is decided alike')
        apply(first, facts)
      }
    }),
  )
})

function someFacts(): BatchFacts {
  const active = { suspended: false, caps }
  return {
    grants: new Map([
      ['acme t1', active],
      ['acme t2', active],
      ['beta t1', active],
      ['suspended t1', { suspended: true, caps }],
    ]),
    accounts: new Map(),
    known: new Map(),
    userDays: new Map(),
  }
}

function written(facts: BatchFacts): string {
  return JSON.stringify(Object.values(facts).map((map) => [...map]))
}

/** What a store does on commit. */
function apply(decision: Omit<BatchDecision, 'outcomes'>, facts: BatchFacts): void {
  for (const entry of decision.entries) {
    const { epTransactionId, tenantId, userEmail, rawAmount, points, note, meta, awardedAt } = entry
    const known = { epTransactionId, tenantId, userEmail, rawAmount, points, note, meta, awardedAt }
    facts.known.set(orderKey(entry), known)
  }
  for (const { account, ...at } of decision.accounts) facts.accounts.set(accountKey(at), account)
  for (const { points, ...at } of decision.userDays) facts.userDays.set(userDayKey(at), points)
}
