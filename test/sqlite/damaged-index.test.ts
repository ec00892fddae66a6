import assert from 'node:assert/strict'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { damageOrderIndex } from '../support/damaged-order-index.ts'
import { a3, makeLedgerToForge, rehashed, withoutTriggers } from '../support/forged-ledger.ts'
import { openSqliteLedger, verifyFile, verifyWholeFile } from '../support/sqlite-ledger.ts'

const ledger = await makeLedgerToForge({ after })

function copied(name: string): string {
  const path = join(ledger.folder, name)
  copyFileSync(ledger.path, path)
  return path
}

function withOtherOrder(path: string, orderId: string): string {
  const change = rehashed(`UPDATE entries SET order_id = '${orderId}' WHERE ep_transaction_id = '${a3}'`)
  damageOrderIndex(path, (database) => withoutTriggers(database, change))
  return path
}

test('an order credited twice is found where the index of orders was damaged and says otherwise', async () => {
  const { sound, fault } = await verifyFile(withOtherOrder(copied('credited-twice.db'), 'A1'))
  assert.deepEqual({ sound, fault }, { sound: false, fault: 'acme: the order "A1" is credited twice' })
})

test('an index that does not fit its table is found, although every entry and counter holds', async () => {
  const path = withOtherOrder(copied('not-in-the-index.db'), 'A3-other')
  const { sound, fault } = await verifyWholeFile(path)
  assert.equal(sound, false)
  assert.match(fault!, /^SQLite's integrity check says: .*sqlite_autoindex_entries_2/)
})

test('an index that does not fit its table is found while the ledger is served', async (t) => {
  const path = withOtherOrder(copied('served.db'), 'A3-other')
  await openSqliteLedger(t, path)
  const { sound, fault } = await verifyWholeFile(path)
  assert.equal(sound, false)
  assert.match(fault!, /^the index sqlite_autoindex_entries_2 does not lead to every entry/)
})

test('a whole file passes every step, served or not', async (t) => {
  const path = copied('whole.db')
  const expected = { sound: true, entries: 8, accounts: 3, userDays: 5, fault: null }
  assert.deepEqual(await verifyWholeFile(path), expected)
  await openSqliteLedger(t, path)
  assert.deepEqual(await verifyWholeFile(path), expected)
})

test('a grant of a partner that does not exist is found', async () => {
  const path = copied('orphan.db')
  const database = new DatabaseSync(path)
  database.exec(
    "PRAGMA foreign_keys = OFF; INSERT INTO grants (partner_id, tenant_id) VALUES ('nobody', 't1')",
  )
  database.close()
  assert.match((await verifyWholeFile(path)).fault!, /^a row of grants refers to a row of partners/)
})
