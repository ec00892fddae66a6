import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anAward } from '../../test/support/awards.ts'
import { factsOf, someTables } from '../../test/support/ledger-tables.ts'
import { dayOf } from '../../test/support/plain-ledger.ts'
import { accountKey, type BatchFacts, decideBatch } from './decide-batch.ts'
import { emptyAccount } from './entry.ts'
import { factsNeeded } from './facts-needed.ts'

const midnight = Date.parse('2026-03-01T17:00:00.000Z')
const noon = midnight - 43_200_000

test('a fact that was not loaded fails the batch: it is never taken for zero, new or empty', () => {
  const commands = [anAward({ orderId: 'A1' }), anAward({ orderId: 'A2', tenantId: 't2' })]
  const forgets: [keyof BatchFacts, RegExp][] = [
    ['accounts', /has not loaded an account/],
    ['known', /has not loaded an order/],
    ['userDays', /has not loaded a user's day/],
  ]
  for (const [fact, message] of forgets) {
    for (const index of [0, 1]) {
      const facts = factsOf(commands, someTables(), noon)
      facts[fact].delete([...facts[fact].keys()][index]!)
      assert.throws(() => decideBatch(commands, facts, noon), { message })
    }
  }
})

test("the facts of a wrong day fail the batch, so that they cannot lift a user's cap", () => {
  const facts = factsOf([anAward()], someTables(), midnight - 1)
  assert.throws(() => decideBatch([anAward()], facts, midnight), /has not loaded a user's day/)
})

test("where the clock is behind an account's last award, the user days needed are those of that award", () => {
  const award = anAward()
  const accounts = new Map([
    [accountKey(award), { account: { ...emptyAccount, seq: 1, awardedAt: midnight } }],
  ])
  const { tenantId, userEmail } = award
  const needed = [...factsNeeded([award, award]).userDays(accounts, noon).values()]
  assert.deepEqual(needed, [{ tenantId, userEmail, day: dayOf(midnight) }])
})

test('what a batch needs is each of its accounts and orders, once', () => {
  const [first, second] = [anAward({ orderId: 'A1' }), anAward({ orderId: 'A2', tenantId: 't2' })]
  const { accounts, orders } = factsNeeded([first, second, first])
  assert.deepEqual([...accounts.keys()], ['acme t1', 'acme t2'])
  assert.deepEqual([...orders.keys()], ['acme A1', 'acme A2'])
  assert.throws(() => factsNeeded([first]).userDays(new Map(), noon), /has not loaded an account/)
})
