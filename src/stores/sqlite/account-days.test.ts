import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { dayOf } from '../../../test/support/plain-ledger.ts'
import { integerBelow, oneOf, seededRandom } from '../../../test/support/seeded-random.ts'
import { temporaryFolder } from '../../../test/support/service.ts'
import { anOrder, openSqliteLedger } from '../../../test/support/sqlite-ledger.ts'
import { Database, openDatabase } from './database.ts'
import { followLedger } from './follower/followed-ledger.ts'
import { openReadModel } from './follower/read-model.ts'
import { openLedgerQueries } from './ledger-queries.ts'

const accounts = [
  { partnerId: 'acme', tenantId: 't1' },
  { partnerId: 'acme', tenantId: 't2' },
  { partnerId: 'globex', tenantId: 't1' },
]

async function aLedger(t: TestContext, days: number, awardsPerDay: number) {
  const random = seededRandom(t)
  const path = join(temporaryFolder(t), 'ledger.db')
  const { store, clock } = await openSqliteLedger(t, path)
  const firstDay = dayOf(clock.now())
  for (let index = 0; index < days * awardsPerDay; index++) {
    const amount = 1000 + integerBelow(random, 9000)
    await store.ledger.award(anOrder(`order-${index}`, { ...oneOf(random, accounts), amount }))
    if (index % awardsPerDay === awardsPerDay - 1) clock.advance(86_400_000)
  }
  return { path, firstDay }
}

/** A read model that takes seven entries in a step. */
function followed(t: TestContext, path: string) {
  const operator = new Database(`${path}-operator`)
  const ledger = openDatabase(path, { readOnly: true })
  t.after(() => {
    operator.close()
    ledger.close()
  })
  const model = openReadModel(operator, followLedger(ledger), { entriesMax: 7, readMax: 7 })
  return { model, operator }
}

/** For all periods that begin and end in the first days, and all accounts. */
async function daysIn(path: string, firstDay: number, days: number) {
  const queries = openLedgerQueries(path)
  const found = []
  for (let from = firstDay; from < firstDay + days; from++) {
    for (let to = from; to < firstDay + days; to++) {
      for (const filter of [{}, ...accounts]) {
        const ofPeriod = await Array.fromAsync(queries.accountDays({ ...filter, from, to }))
        found.push(ofPeriod.flat().map((day) => ({ ...day })))
      }
    }
  }
  await queries.close()
  return found
}

/** Each leaves some rows as they were. */
const changes = {
  'more EP and awards':
    'UPDATE account_days SET points = points + 1000000, awards = awards + 9 WHERE day % 2',
  'more EP': 'UPDATE account_days SET points = points + 1 WHERE day % 2',
  'more awards': 'UPDATE account_days SET awards = awards + 1 WHERE day % 2',
  'fewer entries': 'UPDATE account_days SET last_seq = last_seq - 1, awards = awards - 1 WHERE day % 2',
  'entries that do not exist': `
    UPDATE account_days SET last_seq = last_seq + 1000, awards = awards + 1000
    WHERE day = (SELECT max(day) FROM account_days)`,
  'no row of a day': 'DELETE FROM account_days WHERE day % 2',
  'no row of the first day': 'DELETE FROM account_days WHERE first_seq = 1',
  'no row of the last day': `
    DELETE FROM account_days AS gone
    WHERE day = (SELECT max(day) FROM account_days WHERE partner_id = gone.partner_id AND tenant_id = gone.tenant_id)`,
  'another day': 'UPDATE account_days SET day = day + 1000 WHERE day % 2',
  'no rows of an account': "DELETE FROM account_days WHERE partner_id = 'globex'",
}
for (const [what, change] of Object.entries(changes)) {
  test(`awards and EP are those of the entries, whatever the sums beside the ledger say: ${what}`, async (t) => {
    const { path, firstDay } = await aLedger(t, 6, 8)
    const expected = await daysIn(path, firstDay, 6)
    const { model, operator } = followed(t, path)
    for (let step = 0; step < 5; step++) model.follow()
    assert.deepEqual(await daysIn(path, firstDay, 6), expected)
    assert.ok(operator.prepare(change).run().changes > 0)
    assert.deepEqual(await daysIn(path, firstDay, 6), expected)
    while (model.follow() > 0);
    assert.deepEqual(await daysIn(path, firstDay, 6), expected)
  })
}

test('a day does not count as another one if the sums beside the ledger cut it elsewhere', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const { store, clock } = await openSqliteLedger(t, path)
  const firstDay = dayOf(clock.now())
  for (let index = 1; index <= 6; index++) {
    await store.ledger.award(anOrder(`order-${index}`, { amount: 1000 }))
    if (index === 3) clock.advance(86_400_000)
  }
  const expected = await daysIn(path, firstDay, 2)
  const { model, operator } = followed(t, path)
  while (model.follow() > 0);
  // Entry 3 is moved to the next day, whose EP stay those of its last entry: each row fits its last entry.
  operator.exec('UPDATE account_days SET last_seq = 2, awards = 2, points = 2 WHERE first_seq = 1')
  operator.exec('UPDATE account_days SET first_seq = 3, awards = 4 WHERE first_seq = 4')
  assert.deepEqual(await daysIn(path, firstDay, 2), expected)
})
