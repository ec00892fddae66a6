import assert from 'node:assert/strict'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import {
  a1,
  a3,
  lan,
  makeLedgerToForge,
  rehashed,
  sql,
  type Tampering,
} from '../../test/support/forged-ledger.ts'
import { snapshotOf, verifyFile } from '../../test/support/sqlite-ledger.ts'
import { entryColumns } from '../stores/entry-row.ts'
import { proveInOnePass } from './prove-in-one-pass.ts'

const ledger = await makeLedgerToForge({ after })

test('a sound ledger is proved in one pass, and everything in it was looked at', async () => {
  assert.deepEqual(await prove(ledger.path), { entries: 8, accounts: 3, userDays: 5 })
})

test('a chain that is stored in another order than its own is left to the patient walk, which finds it sound', async () => {
  const path = changed('out-of-order.db', (database) => {
    sql(`UPDATE entries SET rowid = 1000 WHERE ep_transaction_id = '${a1}'`)(database)
  })
  assert.equal(await prove(path), null)
  assert.equal((await verifyFile(path)).sound, true)
})

test('an entry without a head is seen, also where its place in the file is below all numbers', async () => {
  for (const rowid of ['1000', '-1000', '-9223372036854775808']) {
    const path = changed(`place${rowid}.db`, (database) => {
      database.exec(`INSERT INTO entries (rowid, ${entryColumns})
        SELECT ${rowid}, ${entryColumns.map((column) => hidden[column] ?? column)}
        FROM entries WHERE ep_transaction_id = '${a1}'`)
    })
    assert.equal(await prove(path), null)
    assert.match((await verifyFile(path)).fault!, /^hidden\/t1/)
  }
})
const hidden: Record<string, string> = { partner_id: "'hidden'", ep_transaction_id: "'hidden'" }

test('an award that starts from zero again, hidden by a second counter of its user and day, is no proof', async () => {
  const path = changed('two-counters.db', (database) => {
    rehashed(`UPDATE entries SET user_day_total = points WHERE ep_transaction_id = '${a3}'`)(database)
    database.exec(`
      CREATE TABLE copy AS SELECT * FROM user_days;
      DROP TABLE user_days;
      ALTER TABLE copy RENAME TO user_days;
    `)
    const { day } = database
      .prepare(`SELECT day FROM user_days WHERE tenant_id = 't1' AND user_email = '${lan}' AND points = 8`)
      .get()!
    sql(`UPDATE user_days SET points = 7 WHERE user_email = '${lan}' AND points = 8`)(database)
    sql(`INSERT INTO user_days VALUES ('t1', '${lan}', ${day}, 1)`)(database)
  })
  assert.equal(await prove(path), null)
  assert.match((await verifyFile(path)).fault!, /its user-day total is/)
})

async function prove(path: string) {
  const snapshot = await snapshotOf(path)
  try {
    return await proveInOnePass(snapshot, () => {})
  } finally {
    await snapshot.close()
  }
}

function changed(name: string, change: Tampering): string {
  const path = join(ledger.folder, name)
  copyFileSync(ledger.path, path)
  const database = new DatabaseSync(path)
  database.exec('DROP TRIGGER entries_are_never_changed')
  change(database)
  database.close()
  return path
}
