import { equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { type TableFacts, tableProblem } from './table-check.ts'

const good: TableFacts = {
  missingTable: null,
  unloggedTable: null,
  hiddenTable: null,
  ordersAreUnique: true,
}

test('tables as the migrations made them are fine', () => equal(tableProblem(good), null))

const problems: [overrides: Partial<TableFacts>, words: RegExp][] = [
  [{ missingTable: 'accounts' }, /^the role no longer finds the table accounts: GRANT it USAGE/],
  [{ unloggedTable: 'entries' }, /^the table entries is unlogged, and a crash would empty it: ALTER TABLE/],
  [{ hiddenTable: 'user_days' }, /^row security hides rows of the table user_days from the role/],
  [{ ordersAreUnique: false }, /^the table entries lacks its constraint UNIQUE \(partner_id, order_id\)/],
]
for (const [overrides, words] of problems) {
  test(`tables are refused with ${JSON.stringify(overrides)}`, () =>
    match(tableProblem({ ...good, ...overrides })!, words))
}
