import assert from 'node:assert/strict'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import {
  a1,
  a2,
  a3,
  a4,
  a5,
  dayMs,
  lan,
  makeLedgerToForge,
  minh,
  recount,
  rehash,
  rehashed,
  sql,
  withoutTriggers,
} from '../../test/support/forged-ledger.ts'
import { verifyFile } from '../../test/support/sqlite-ledger.ts'
import { entryHash, personalCommitment } from '../rules/entry-hash.ts'
import { type EntryRow, entryColumns, entryOf, entrySelection } from '../stores/entry-row.ts'

const ledger = await makeLedgerToForge({ after })

test('the forger’s own tools leave an untouched ledger sound, so what they miss is the tampering', async () => {
  const path = join(ledger.folder, 'recounted.db')
  copyFileSync(ledger.path, path)
  const database = new DatabaseSync(path)
  withoutTriggers(database, (changed) => {
    rehash(changed)
    recount(changed)
  })
  database.close()
  assert.equal((await verifyFile(path)).sound, true)
})

const ofEntry3 = `WHERE ep_transaction_id = '${a3}'`

const otherValues: Record<string, string> = {
  partner_id: "'globey'",
  tenant_id: "'t9'",
  seq: '99',
  salt: "x'00'",
  commitment: "x'00'",
  note: "'another note'",
  meta: "'{}'",
  hash: 'zeroblob(32)',
}
for (const column of entryColumns) {
  test(`an entry whose ${column} was changed is found`, async () => {
    const isText = ['ep_transaction_id', 'order_id', 'user_email'].includes(column)
    const value = otherValues[column] ?? (isText ? `${column} || 'x'` : `${column} + 1`)
    const fault = await ledger.faultAfter(sql(`UPDATE entries SET ${column} = ${value} ${ofEntry3}`))
    assert.match(fault, /^acme\/t1 #[34] |^globey\/t1 #3 |^acme\/t1: /)
  })
}

test('a raw amount changed within the same EP is found', async () => {
  const fault = await ledger.faultAfter(
    sql(`UPDATE entries SET raw_amount = 3998 WHERE ep_transaction_id = '${a1}'`),
  )
  assert.match(fault, /^acme\/t1 #1 .*: its hash does not match/)
  assert.ok(fault.includes(a1!))
})

const deletions: [string, string | undefined, RegExp][] = [
  ['the first', a1, /^acme\/t1 #2 .*: follows #0: an entry is missing/],
  ['a middle', a3, /^acme\/t1 #4 .*: follows #2: an entry is missing/],
  ['the last', a5, /^acme\/t1: ends at #4 where its head says #5/],
]
for (const [which, id, expected] of deletions) {
  test(`${which} entry deleted is found`, async () => {
    assert.match(
      await ledger.faultAfter(sql(`DELETE FROM entries WHERE ep_transaction_id = '${id}'`)),
      expected,
    )
  })
}

test('an entry deleted and the rest renumbered is found', async () => {
  const fault = await ledger.faultAfter((database) => {
    sql(`DELETE FROM entries ${ofEntry3}`)(database)
    sql(`UPDATE entries SET seq = seq - 1 WHERE ep_transaction_id = '${a4}'`)(database)
    sql(`UPDATE entries SET seq = seq - 1 WHERE ep_transaction_id = '${a5}'`)(database)
  })
  assert.match(fault, /^acme\/t1 #3 .*: its hash does not match/)
})

test('an entry deleted, the rest renumbered and rehashed and all counters set right, is found by the totals', async () => {
  const fault = await ledger.faultAfter((database) => {
    sql(`DELETE FROM entries WHERE ep_transaction_id = '${a2}'`)(database)
    for (const id of [a3, a4, a5])
      sql(`UPDATE entries SET seq = seq - 1 WHERE ep_transaction_id = '${id}'`)(database)
    recount(database)
    rehash(database)
  })
  assert.match(fault, /^acme\/t1 #2 .*: its partner-day total is 9, not 4/)
})

test('all entries of an account deleted is found', async () => {
  const fault = await ledger.faultAfter(sql("DELETE FROM entries WHERE partner_id = 'globex'"))
  assert.match(fault, /^globex\/t1: has a head at #2 but no entries/)
})

test('all entries of the first account deleted is found, and attributed to that account', async () => {
  const fault = await ledger.faultAfter(
    sql("DELETE FROM entries WHERE partner_id = 'acme' AND tenant_id = 't1'"),
  )
  assert.match(fault, /^acme\/t1: has a head at #5 but no entries/)
})

test('all entries deleted is found', async () => {
  assert.match(
    await ledger.faultAfter(sql('DELETE FROM entries')),
    /^acme\/t1: has a head at #5 but no entries/,
  )
})

test('two entries swapped are found', async () => {
  const fault = await ledger.faultAfter((database) => {
    sql(`UPDATE entries SET seq = 99 WHERE ep_transaction_id = '${a2}'`)(database)
    sql(`UPDATE entries SET seq = 2 WHERE ep_transaction_id = '${a3}'`)(database)
    sql(`UPDATE entries SET seq = 3 WHERE ep_transaction_id = '${a2}'`)(database)
  })
  assert.match(fault, /^acme\/t1 #2 .*: its hash does not match/)
})

test('two entries swapped and all rehashed are found by their times', async () => {
  const fault = await ledger.faultAfter((database) => {
    sql(`UPDATE entries SET seq = 99 WHERE ep_transaction_id = '${a1}'`)(database)
    sql(`UPDATE entries SET seq = 1, partner_day_total = 5 WHERE ep_transaction_id = '${a2}'`)(database)
    sql(`UPDATE entries SET seq = 2, partner_day_total = 8 WHERE ep_transaction_id = '${a1}'`)(database)
    rehash(database)
  })
  assert.match(fault, /^acme\/t1 #2 .*: is older than the entry before it/)
})

test('the e-mails of two entries swapped, with the counters set right, are found', async () => {
  const fault = await ledger.faultAfter((database) => {
    database.exec(`UPDATE entries SET user_email = iif(user_email = '${lan}', '${minh}', '${lan}')`)
    recount(database)
  })
  assert.match(fault, /^acme\/t1 #1 .*: its hash does not match/)
})

test('an entry moved to another account is found', async () => {
  const fault = await ledger.faultAfter(
    sql(`UPDATE entries SET partner_id = 'globex', seq = 3 WHERE ep_transaction_id = '${a5}'`),
  )
  assert.match(fault, /^acme\/t1: ends at #4 where its head says #5/)
})

test('an entry changed and rehashed is found by the one after it', async () => {
  const fault = await ledger.faultAfter((database) => {
    sql(`UPDATE entries SET note = 'another' ${ofEntry3}`)(database)
    const entry = entryOf(
      database.prepare(`SELECT ${entrySelection} FROM entries ${ofEntry3}`).get() as EntryRow,
    )
    const before = database.prepare(`SELECT hash FROM entries WHERE ep_transaction_id = '${a2}'`).get()!
    database
      .prepare(`UPDATE entries SET hash = ? ${ofEntry3}`)
      .run(entryHash(entry, before.hash as Uint8Array))
  })
  assert.match(fault, /^acme\/t1 #4 .*: its hash does not match: it or one before it was changed/)
})

test('the last entry changed and rehashed is found by the head', async () => {
  const fault = await ledger.faultAfter((database) => {
    sql(`UPDATE entries SET note = 'another' WHERE ep_transaction_id = '${a5}'`)(database)
    const head = database.prepare(
      "SELECT head_hash FROM accounts WHERE tenant_id = 't1' AND partner_id = 'acme'",
    )
    const { head_hash } = head.get()!
    rehash(database)
    database
      .prepare("UPDATE accounts SET head_hash = ? WHERE tenant_id = 't1' AND partner_id = 'acme'")
      .run(head_hash as Uint8Array)
  })
  assert.match(fault, /^acme\/t1: its head has another hash than its last entry/)
})

test('a person’s fields changed behind a commitment, as if they had been erased, are found', async () => {
  const fault = await ledger.faultAfter((database) => {
    const entry = entryOf(
      database.prepare(`SELECT ${entrySelection} FROM entries ${ofEntry3}`).get() as EntryRow,
    )
    database
      .prepare(`UPDATE entries SET commitment = ?, user_email = 'thief@example.vn' ${ofEntry3}`)
      .run(personalCommitment(entry))
    recount(database)
  })
  assert.match(fault, /^acme\/t1 #3 .*: has a commitment beside its salt/)
})

const wrongButHashed: [string, string, RegExp][] = [
  ['points above floor(amount / rate)', 'points = points + 1', /its points are not floor/],
  ['points below floor(amount / rate)', 'raw_amount = raw_amount + 1000', /its points are not floor/],
  ['no points', 'points = 0, raw_amount = 999', /its points are not floor/],
  ['negative points', 'points = -1, raw_amount = -1000', /its points are not floor/],
  ['a rate of zero', 'amount_per_ep = 0', /its points are not floor/],
  ['a wrong partner-day total', 'partner_day_total = 8', /its partner-day total is 8, not 9/],
  ['a cap per award below its points', 'per_tx = 0', /its 1 EP exceed the perTx cap of 0/],
  [
    'a partner-day cap below the total',
    'per_partner_day = 8',
    /the day's 9 EP exceed the perPartnerDay cap of 8/,
  ],
  ['a user-day cap below the total', 'per_user_day = 7', /the user's 8 EP exceed the perUserDay cap of 7/],
  ['a time before its predecessor', 'awarded_at = awarded_at - 10000', /is older than the entry before it/],
  ['a time on another day', `awarded_at = awarded_at + ${dayMs / 2}`, /its partner-day total is 9, not 1/],
]
for (const [what, change, expected] of wrongButHashed) {
  test(`an entry with ${what} is found although every hash was recalculated`, async () => {
    const fault = await ledger.faultAfter(rehashed(`UPDATE entries SET ${change} ${ofEntry3}`))
    assert.match(fault, expected)
    assert.ok(fault.startsWith(`acme/t1 #3 (${a3}): `), fault)
  })
}

test('a wrong user-day total is found although every hash was recalculated', async () => {
  const fault = await ledger.faultAfter(rehashed(`UPDATE entries SET user_day_total = 9 ${ofEntry3}`))
  assert.match(fault, /^t1 \(.*\): its user-day total is 9, the entries add up to 8/)
  assert.ok(fault.includes(a3!))
})

test('an award given to another user, rehashed and recounted, is found by the user-day totals', async () => {
  const fault = await ledger.faultAfter((database) => {
    rehashed(`UPDATE entries SET user_email = '${minh}' ${ofEntry3}`)(database)
    recount(database)
  })
  assert.match(fault, /^t1 \(.*\): its user-day total is/)
})

test('awards beyond a cap, each with consistent totals and hashes, are found', async () => {
  const fault = await ledger.faultAfter(
    rehashed("UPDATE entries SET per_partner_day = 10 WHERE tenant_id = 't1'"),
  )
  assert.match(fault, /^acme\/t1 #5 .*: the day's 14 EP exceed the perPartnerDay cap of 10/)
})

test('an order credited twice is found, with the unique index out of the way and all else consistent', async () => {
  const fault = await ledger.faultAfter((database) => {
    withoutUniqueOrders(database)
    rehashed(`UPDATE entries SET order_id = 'A1' ${ofEntry3}`)(database)
  })
  assert.equal(fault, 'acme: the order "A1" is credited twice')
})

test('an order credited twice over two tenants is found', async () => {
  const fault = await ledger.faultAfter((database) => {
    withoutUniqueOrders(database)
    rehashed("UPDATE entries SET order_id = 'A1' WHERE order_id = 'B1'")(database)
  })
  assert.equal(fault, 'acme: the order "A1" is credited twice')
})

test('bytes where a text belongs, or a text for bytes, which only a table without its rules can hold, are found', async () => {
  const ofEntry = await ledger.faultAfter((database) => {
    withoutUniqueOrders(database)
    sql(`UPDATE entries SET order_id = CAST(order_id AS BLOB) ${ofEntry3}`)(database)
  })
  assert.match(ofEntry, /^acme\/t1 #3 .*: its hash does not match/)
  for (const column of ['hash', 'salt']) {
    const ofBytes = await ledger.faultAfter((database) => {
      withoutUniqueOrders(database)
      sql(`UPDATE entries SET ${column} = 'a text' ${ofEntry3}`)(database)
    })
    assert.match(ofBytes, /^acme\/t1 #3 .*: its hash does not match/)
  }
  const ofCounter = await ledger.faultAfter((database) => {
    database.exec(`
      CREATE TABLE copy AS SELECT * FROM user_days;
      DROP TABLE user_days;
      ALTER TABLE copy RENAME TO user_days;
      UPDATE user_days SET user_email = CAST(user_email AS BLOB);
    `)
  })
  assert.match(ofCounter, /^t1: /)
})

function withoutUniqueOrders(database: DatabaseSync): void {
  database.exec(`
    CREATE TABLE copy AS SELECT * FROM entries;
    DROP TABLE entries;
    ALTER TABLE copy RENAME TO entries;
  `)
}
