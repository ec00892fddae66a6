import assert from 'node:assert/strict'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { a1, a2, makeLedgerToForge, sql, type Tampering } from '../../test/support/forged-ledger.ts'
import { snapshotOf, verifyFile } from '../../test/support/sqlite-ledger.ts'
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

test('an entry whose place in the file is below all numbers is seen as well', async () => {
  const path = changed('far-below.db', (database) => {
    sql(`UPDATE entries SET rowid = -9223372036854775808 WHERE ep_transaction_id = '${a2}'`)(database)
  })
  assert.equal(await prove(path), null)
})

test('two counters of one user and day, which could hide an award beyond the cap, are no proof', async () => {
  const path = changed('two-counters.db', (database) => {
    database.exec(`
      CREATE TABLE copy AS SELECT * FROM user_days;
      DROP TABLE user_days;
      ALTER TABLE copy RENAME TO user_days;
      INSERT INTO user_days SELECT * FROM user_days LIMIT 1;
    `)
  })
  assert.equal(await prove(path), null)
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
