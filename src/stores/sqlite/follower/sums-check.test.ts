import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { anOrder, openSqliteLedger, verifyWholeFile } from '../../../../test/support/sqlite-ledger.ts'
import { temporaryFolder } from '../../../../test/support/service.ts'
import { Database, openDatabase } from '../database.ts'
import { followLedger } from './followed-ledger.ts'
import { openReadModel } from './read-model.ts'

const large = 2 ** 53 - 1
const dayMs = 86_400_000

/** Three days of two accounts, and a read model that has taken some steps of `entriesMax` entries. */
async function followedLedger(t: TestContext, { entriesMax = 100, steps = 100, amount = 1500 } = {}) {
  const path = join(temporaryFolder(t), 'ledger.db')
  const { store, clock } = await openSqliteLedger(t, path, {
    perTx: large,
    perPartnerDay: large,
    perUserDay: large,
  })
  for (let index = 0; index < 12; index++) {
    const partnerId = index % 2 === 0 ? 'acme' : 'globex'
    await store.ledger.award(anOrder(`order-${index}`, { partnerId, amount }))
    if (index % 4 === 3) clock.advance(dayMs)
  }
  const operator = new Database(`${path}-operator`)
  const ledger = openDatabase(path, { readOnly: true })
  t.after(() => {
    operator.close()
    ledger.close()
  })
  const model = openReadModel(operator, followLedger(ledger), { entriesMax, readMax: entriesMax })
  for (let step = 0; step < steps && model.follow() > 0; step++);
  return { path, operator, award: (orderId: string) => store.ledger.award(anOrder(orderId, { amount })) }
}

const days = ['(SELECT min(day) FROM account_days)', '(SELECT max(day) FROM account_days)']
const columns = ['awards', 'points', 'raw_high', 'raw_low', 'remainder']
for (const column of columns) {
  test(`verify finds a sum beside the ledger that is not that of its entries: ${column}`, async (t) => {
    const { path, operator } = await followedLedger(t)
    assert.deepEqual(await verifyWholeFile(path), {
      entries: 12,
      accounts: 2,
      userDays: 3,
      sound: true,
      fault: null,
    })
    for (const [index, day] of days.entries()) {
      const add = (more: number) =>
        operator.exec(`UPDATE account_days SET ${column} = ${column} + ${more}
          WHERE partner_id = 'globex' AND day = ${day}`)
      add(1)
      const { sound, fault } = await verifyWholeFile(path)
      assert.equal(sound, false)
      assert.match(
        fault!,
        new RegExp(`globex/t1 on 2026-11-1${5 + 2 * index} .*ledger itself is sound.* Delete`),
      )
      add(-1)
    }
    assert.equal((await verifyWholeFile(path)).sound, true)
  })
}

test('verify finds a number beside the ledger that is too large for one', async (t) => {
  const { path, operator } = await followedLedger(t)
  operator.exec('UPDATE account_days SET raw_high = 9007199254740993')
  assert.match((await verifyWholeFile(path)).fault!, /acme\/t1 on 2026-11-15 /)
})

test('verify compares the sums of a read model that is behind, and finds a change in them', async (t) => {
  for (const entriesMax of [1, 2, 3, 5, 7, 11]) {
    const { path, operator } = await followedLedger(t, { entriesMax, steps: 1 })
    assert.equal((await verifyWholeFile(path)).sound, true, `${entriesMax} entries`)
    operator.exec(`UPDATE account_days SET raw_low = raw_low + 1 WHERE day = ${days[1]}`)
    assert.match((await verifyWholeFile(path)).fault!, /are not those of its entries/)
  }
})

test('verify has nothing to say of sums that exceed 2^53, or of a ledger without a read model', async (t) => {
  const { path } = await followedLedger(t, { amount: 2 ** 52 })
  assert.equal((await verifyWholeFile(path)).sound, true)
  const alone = join(temporaryFolder(t), 'ledger.db')
  const { store } = await openSqliteLedger(t, alone)
  await store.ledger.award(anOrder('A1'))
  assert.equal((await verifyWholeFile(alone)).sound, true)
})
