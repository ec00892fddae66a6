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
  withoutTriggers,
} from '../../../test/support/forged-ledger.ts'
import { snapshotOf, verifyFile } from '../../../test/support/sqlite-ledger.ts'
import { personalCommitment } from '../../rules/entry-hash.ts'
import { type EntryRow, entryColumns, entryOf, entrySelection } from '../../stores/entry-row.ts'
import { createChains } from './chains.ts'
import { proveLedger } from './prove-ledger.ts'
import { entryPageOf } from './stored-entry.ts'

const ledger = await makeLedgerToForge({ after })

test('a sound ledger is proved in one pass, and everything in it was checked', async () => {
  assert.deepEqual(await prove(ledger.path), { entries: 8, accounts: 3, userDays: 5 })
})

test('a failed fast pass is never sound, also where the walk finds nothing: a row was moved to another place', async () => {
  const path = changed('out-of-order.db', (database) => {
    sql(`UPDATE entries SET rowid = 1000 WHERE ep_transaction_id = '${a1}'`)(database)
  })
  assert.equal(await prove(path), null)
  const { sound, fault } = await verifyFile(path)
  assert.equal(sound, false)
  assert.match(fault!, /^the fast pass failed \(acme\/t1 #2: .*\), and the walk.* found no fault/)
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

test('an entry with its true commitment in the place of its salt is no proof, and is found', async () => {
  const path = changed('erased.db', (database) => {
    const row = database
      .prepare(`SELECT ${entrySelection} FROM entries WHERE ep_transaction_id = '${a1}'`)
      .get()
    const commitment = personalCommitment(entryOf(row as EntryRow))
    database
      .prepare(
        `UPDATE entries SET salt = NULL, commitment = ?, note = NULL, meta = NULL WHERE ep_transaction_id = '${a1}'`,
      )
      .run(commitment)
  })
  assert.equal(await prove(path), null)
  assert.match(
    (await verifyFile(path)).fault!,
    /^acme\/t1 #1 .*: has no salt: its user, note and meta may have been changed/,
  )
})

test('both ways to an entry’s page give the same', async () => {
  const snapshot = await snapshotOf(ledger.path)
  try {
    const [page] = await Array.fromAsync(snapshot.entryPass()())
    const entries = (await Array.fromAsync(snapshot.entries())).flat()
    const inOrder = page!.entries.map(
      ({ epTransactionId }) => entries.find((entry) => entry.epTransactionId === epTransactionId)!,
    )
    assert.equal(entries.length, 8)
    assert.deepEqual({ ...page, salts: Buffer.from(page!.salts) }, entryPageOf(inOrder))
  } finally {
    await snapshot.close()
  }
})

// What only a table without its rules can hold; what is hashed is the same of some of them.
const otherForms: [string, string][] = [
  ['an order as a number', `UPDATE entries SET order_id = 5 WHERE order_id = '5'`],
  ['an order as bytes', `UPDATE entries SET order_id = CAST(order_id AS BLOB) WHERE order_id = '5'`],
  ['a note as bytes', `UPDATE entries SET note = CAST(note AS BLOB) WHERE order_id = '5'`],
  ['a note as a number', `UPDATE entries SET note = 7 WHERE order_id = '5'`],
  ['points as a text', `UPDATE entries SET points = CAST(points AS TEXT) WHERE order_id = '5'`],
  ['a cap as a text', `UPDATE entries SET per_tx = CAST(per_tx AS TEXT) WHERE order_id = '5'`],
  ['no rate', `UPDATE entries SET amount_per_ep = NULL WHERE order_id = '5'`],
  [
    'the last byte of a hash in front of the next salt',
    `UPDATE entries SET salt = (SELECT substr(hash, 32) FROM entries WHERE order_id = '5') || salt WHERE order_id = 'A2';
     UPDATE entries SET hash = substr(hash, 1, 31) WHERE order_id = '5'`,
  ],
  ['neither a salt nor a commitment', `UPDATE entries SET salt = NULL WHERE order_id = '5'`],
  ['a commitment beside the salt', `UPDATE entries SET commitment = zeroblob(32) WHERE order_id = '5'`],
]
for (const [what, change] of otherForms) {
  test(`${what} is no proof, and is found`, async () => {
    const path = changed(`${what}.db`, (database) => {
      withoutRules(database)
      database.exec(change)
    })
    assert.equal(await prove(path), null)
    assert.equal((await verifyFile(path)).sound, false)
  })
}

test('a table without its rules is not sound, although it holds what it held', async () => {
  const path = changed('without-rules.db', withoutRules)
  assert.deepEqual(await prove(path), { entries: 8, accounts: 3, userDays: 5 })
  const { sound, fault } = await verifyFile(path)
  assert.equal(sound, false)
  assert.match(fault!, /is missing|is not as the migrations made it/)
})

function withoutRules(database: DatabaseSync): void {
  rehashed(`UPDATE entries SET order_id = '5', note = '7' WHERE order_id = 'A1'`)(database)
  database.exec(`
    CREATE TABLE free (${entryColumns});
    INSERT INTO free SELECT ${entryColumns} FROM entries ORDER BY rowid;
    DROP TABLE entries;
    ALTER TABLE free RENAME TO entries;
  `)
}

test('a counter as bytes is no proof', async () => {
  const path = changed('counter-as-bytes.db', (database) => {
    database.exec(`
      CREATE TABLE copy AS SELECT * FROM user_days;
      DROP TABLE user_days;
      ALTER TABLE copy RENAME TO user_days;
      UPDATE user_days SET user_email = CAST(user_email AS BLOB) WHERE points = 8;
    `)
  })
  assert.equal(await prove(path), null)
})

for (const partnerId of ["x'676c6f626578'", 'NULL', '5']) {
  test(`a head whose partner is ${partnerId} is no proof, and is found`, async () => {
    const path = changed(`head-of-${partnerId}.db`, (database) => {
      database.exec(`
        CREATE TABLE copy AS SELECT * FROM accounts;
        DROP TABLE accounts;
        ALTER TABLE copy RENAME TO accounts;
        UPDATE accounts SET partner_id = ${partnerId} WHERE partner_id = 'globex';
      `)
    })
    assert.equal(await prove(path), null)
    assert.equal((await verifyFile(path)).sound, false)
  })
}

test('more accounts than are kept at hand keep their own chains', () => {
  const chains = createChains()
  const ids = Array.from({ length: 20_000 }, (_, n) => ({
    partnerId: `p${n % 200}`,
    tenantId: `t${n % 19_997}`,
  }))
  for (const id of ids) chains.of(id).seq++
  for (const id of ids) chains.of(id).dayPoints += 2
  for (const id of ids) {
    const account = chains.take(id)
    if (account !== null) assert.equal(account.dayPoints, 2 * account.seq)
  }
  assert.equal(chains.isEmpty(), true)
  assert.equal(chains.take(ids[0]!), null)
})

async function prove(path: string) {
  const snapshot = await snapshotOf(path)
  try {
    const proof = await proveLedger(snapshot, { advance: () => {} })
    return proof.fault === null ? proof.counts : null
  } finally {
    await snapshot.close()
  }
}

function changed(name: string, change: Tampering): string {
  const path = join(ledger.folder, name)
  copyFileSync(ledger.path, path)
  const database = new DatabaseSync(path)
  withoutTriggers(database, change)
  database.close()
  return path
}
