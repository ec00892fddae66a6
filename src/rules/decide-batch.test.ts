import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anAward, knownAs } from '../../test/support/awards.ts'
import { apply, caps, decideOn, type LedgerTables, someTables } from '../../test/support/ledger-tables.ts'
import { accountOf, dayOf, plainAnswer, usedByPartner, usedByUser } from '../../test/support/plain-ledger.ts'
import { accountKey, nextAwardedAt, orderKey, userDayKey } from './decide-batch.ts'
import { type Entry, emptyAccount } from './entry.ts'
import { entryHash } from './entry-hash.ts'

const midnight = Date.parse('2026-03-01T17:00:00.000Z')
const noon = midnight - 43_200_000
const dayMs = 86_400_000

test('a credited award becomes the first entry of its account, with all that an auditor needs', () => {
  const award = anAward({ amount: 3999, note: 'thanks', meta: '{"shop": 1.10}' })
  const { outcomes, entries, accounts, userDays } = decideOn([award], someTables(), noon)
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
  const ledger = someTables()
  const award = anAward({ amount: 2000 })
  const day = dayOf(noon)
  ledger.accounts.set(accountKey(award), { seq: 41, headHash, awardedAt: noon - 1, day, dayPoints: 6 })
  ledger.userDays.set(userDayKey({ ...award, day }), 4)
  const { outcomes, entries } = decideOn([award], ledger, noon)
  const [{ hash, ...entry }] = entries as [Entry]
  assert.deepEqual([entry.seq, entry.partnerDayTotal, entry.userDayTotal], [42, 8, 6])
  assert.deepEqual(hash, entryHash(entry, headHash))
  const [outcome] = outcomes
  assert.equal(outcome?.kind === 'credited' && outcome.partnerDayRemaining, 4)
})

test('a replay of a stored order credits nothing and names the original', () => {
  const ledger = someTables()
  ledger.known.set(orderKey(anAward()), knownAs(anAward({ epTransactionId: 'the first' }), noon - 1))
  const decision = decideOn([anAward({ epTransactionId: 'the second' })], ledger, noon)
  const outcomes = [{ kind: 'duplicate', epTransactionId: 'the first', points: 5, awardedAt: noon - 1 }]
  assert.deepEqual(decision, { outcomes, entries: [], accounts: [], userDays: [] })
})

test('a rejection writes nothing, and its batch continues', () => {
  const commands = [anAward({ orderId: 'bad', amount: 6000 }), anAward({ orderId: 'good' })]
  const { outcomes, entries } = decideOn(commands, someTables(), noon)
  const rejection = { code: 'PER_TX_CAP_EXCEEDED', limit: 5, requested: 6 }
  assert.deepEqual(outcomes[0], { kind: 'rejected', rejection })
  assert.deepEqual(
    entries.map(({ orderId, seq }) => [orderId, seq]),
    [['good', 1]],
  )
})

test('an account without a grant is refused', () => {
  const { outcomes } = decideOn([anAward({ tenantId: 'unknown' })], someTables(), noon)
  assert.deepEqual(outcomes, [{ kind: 'rejected', rejection: { code: 'TENANT_NOT_ALLOWED' } }])
})

test('copies of one order in a batch credit once; the others are its duplicates', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 30 }), (copies) => {
      const commands = Array.from({ length: copies }, (_, index) =>
        anAward({ epTransactionId: `id ${index}` }),
      )
      const { outcomes, entries } = decideOn(commands, someTables(), noon)
      assert.deepEqual(
        entries.map(({ epTransactionId }) => epTransactionId),
        ['id 0'],
      )
      const [first, ...others] = outcomes
      assert.equal(first!.kind, 'credited')
      for (const other of others) {
        assert.deepEqual(other, { kind: 'duplicate', epTransactionId: 'id 0', points: 5, awardedAt: noon })
      }
    }),
  )
})

test('a changed copy in the same batch is a conflict, also in another tenant', () => {
  const commands = [anAward(), anAward({ amount: 999 }), anAward({ tenantId: 't2' })]
  const { outcomes } = decideOn(commands, someTables(), noon)
  const differs = outcomes.map(
    (of) => of.kind === 'rejected' && 'differs' in of.rejection && of.rejection.differs,
  )
  assert.deepEqual(differs, [false, ['amount'], ['tenantId']])
})

test('the same orderId of another partner is another order', () => {
  const { outcomes } = decideOn([anAward(), anAward({ partnerId: 'beta', amount: 3000 })], someTables(), noon)
  assert.deepEqual(
    outcomes.map(({ kind }) => kind),
    ['credited', 'credited'],
  )
})

test('an award in the last millisecond fills the old day, one at midnight opens the new', () => {
  const fills = [1, 2].map((n) => anAward({ orderId: `${n}`, userEmail: `u${n}@x.vn` }))
  const last = anAward({ orderId: '3', userEmail: 'u3@x.vn', amount: 3000 })
  const ledger = someTables()
  const batches = [[...fills], [last], [last]]
  const kinds = batches.map((commands, index) => {
    const decision = decideOn(commands, ledger, index < 2 ? midnight - 1 : midnight)
    apply(decision, ledger)
    return decision.outcomes.map(({ kind }) => kind)
  })
  assert.deepEqual(kinds, [['credited', 'credited'], ['rejected'], ['credited']])
})

test('a clock that jumps back neither turns the order round nor re-opens a day', () => {
  const ledger = someTables()
  const five = (orderId: string) => anAward({ orderId, userEmail: `${orderId}@x.vn` })
  apply(decideOn([five('a'), five('b')], ledger, midnight), ledger)
  const { outcomes, entries } = decideOn([five('c'), anAward({ orderId: 'd', amount: 2000 })], ledger, noon)
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
      const [together, oneByOne] = [someTables(), someTables()]
      for (const { now, commands } of batches) {
        const whole = decideOn(commands, together, now)
        const parts = commands.map((command) => {
          const part = decideOn([command], oneByOne, now)
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
      const ledger = someTables()
      const entries: Entry[] = []
      for (const { now, commands } of batches) {
        const { outcomes, ...decision } = decideOn(commands, ledger, now)
        apply(decision, ledger)
        const expected: string[] = []
        for (const command of commands) {
          const answer = plainAnswer(command, entries, { now, caps, grants: ledger.grants })
          expected.push(answer)
          if (answer === 'credited') entries.push(decision.entries.shift()!)
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
      const ledger = someTables()
      const entries: Entry[] = []
      for (const { now, commands } of batches) {
        const decision = decideOn(commands, ledger, now)
        apply(decision, ledger)
        entries.push(...decision.entries)
      }
      for (const [at, entry] of entries.entries()) {
        const before = entries.slice(0, at)
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
      const orders = entries.map(({ partnerId, orderId }) => `${partnerId} ${orderId}`)
      assert.equal(new Set(orders).size, orders.length, 'an order was credited twice')
    }),
    { numRuns: 300 },
  )
})

test('deciding changes no facts, so that a batch whose commit failed leaves nothing behind', () => {
  fc.assert(
    fc.property(histories, (batches) => {
      const ledger = someTables()
      for (const { now, commands } of batches) {
        const before = written(ledger)
        const first = decideOn(commands, ledger, now)
        assert.equal(written(ledger), before)
        assert.deepEqual(decideOn(commands, ledger, now), first, 'decided again, it is decided alike')
        apply(first, ledger)
      }
    }),
  )
})

function written(ledger: LedgerTables): string {
  return JSON.stringify(Object.values(ledger).map((map) => [...map]))
}
