import assert from 'node:assert/strict'
import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { temporaryFolder } from '../../test/support/service.ts'
import { anOrder, openSqliteLedger, verifyFile } from '../../test/support/sqlite-ledger.ts'
import { emptyAccount } from '../rules/entry.ts'
import { entryHash, personalCommitment } from '../rules/entry-hash.ts'
import { type EntryRow, entryColumns, entryOf, entrySelection } from '../stores/entry-row.ts'
import { verifyLedger } from './verify.ts'

const folder = temporaryFolder({ after })
const original = join(folder, 'ledger.db')
const dayMs = 86_400_000

const lan = 'lan@example.vn'
const minh = 'minh@example.vn'
const awards = [
  anOrder('A1', { userEmail: lan, amount: 3999, note: 'for Lan', meta: '{"shop": 1.10}' }),
  anOrder('A2', { userEmail: minh, amount: 5000 }),
  anOrder('G1', { partnerId: 'globex', userEmail: lan, amount: 4000 }),
  anOrder('B1', { tenantId: 't2', userEmail: lan, amount: 2000 }),
  anOrder('A3', { userEmail: lan, amount: 1000 }),
]
const awardsOfTheNextDay = [
  anOrder('A4', { userEmail: lan, amount: 6000 }),
  anOrder('G2', { partnerId: 'globex', userEmail: minh, amount: 7000 }),
  anOrder('A5', { userEmail: minh, amount: 8000 }),
]
/** The chain of acme/t1, in which most of the harm is done: #1 A1, #2 A2, #3 A3, and on the next day #4 A4, #5 A5. */
const [a1, a2, a3, a4, a5] = ['A1', 'A2', 'A3', 'A4', 'A5'].map((order) => anOrder(order).epTransactionId)

before(async () => {
  const hooks: (() => unknown)[] = []
  const { writer, clock, close } = await openSqliteLedger(
    { after: (hook) => hooks.push(hook as never) },
    original,
  )
  for (const award of awards) {
    await writer.award(award)
    clock.advance(1000)
  }
  clock.advance(dayMs)
  for (const award of awardsOfTheNextDay) await writer.award(award)
  await close()
  assert.equal(existsSync(`${original}-wal`), false, 'the file is complete without its log')
})

test('an untouched ledger is sound, and everything in it was looked at', async () => {
  assert.deepEqual(await verifyFile(original), {
    sound: true,
    entries: 8,
    accounts: 3,
    userDays: 5,
    fault: null,
  })
})

test('an empty ledger is sound', async () => {
  assert.deepEqual(await verifyFile(join(folder, 'empty.db')), {
    sound: true,
    entries: 0,
    accounts: 0,
    userDays: 0,
    fault: null,
  })
})

test('progress goes from nothing to all of it and never back', async (t) => {
  const { store } = await openSqliteLedger(t, original)
  const snapshot = await store.snapshot()
  const shares: number[] = []
  await verifyLedger(snapshot, (share) => shares.push(share))
  await snapshot.close()
  assert.equal(shares.at(-1), 1)
  assert.deepEqual(
    shares,
    shares.toSorted((a, b) => a - b),
  )
})

let copies = 0

/** A copy of the ledger, changed by somebody with full access to the file; gives the fault that is found. */
async function faultAfter(tamper: (database: DatabaseSync) => void): Promise<string> {
  const path = join(folder, `tampered-${++copies}.db`)
  copyFileSync(original, path)
  const database = new DatabaseSync(path)
  database.exec(`
    DROP TRIGGER entries_are_never_changed;
    DROP TRIGGER entries_are_never_deleted;
    PRAGMA ignore_check_constraints = ON;
  `)
  tamper(database)
  database.close()
  const { sound, fault } = await verifyFile(path)
  assert.equal(sound, false, 'found sound')
  assert.doesNotMatch(fault!, /@|lan|minh|example/i, 'a fault names nobody')
  return fault!
}

function sql(text: string): (database: DatabaseSync) => void {
  return (database) => {
    const { changes } = database.prepare(text).run()
    assert.ok(changes > 0, `changed nothing: ${text}`)
  }
}

/** Makes every chain fit its entries again, heads included: what a forger with the source code would do. */
function rehash(database: DatabaseSync): void {
  const rows = database
    .prepare(`SELECT ${entrySelection} FROM entries ORDER BY partner_id, tenant_id, seq`)
    .all()
  const chains = Map.groupBy(
    (rows as EntryRow[]).map(entryOf),
    (entry) => `${entry.partnerId} ${entry.tenantId}`,
  )
  for (const chain of chains.values()) {
    let head = emptyAccount.headHash
    for (const entry of chain) {
      head = entryHash(entry, head)
      database
        .prepare('UPDATE entries SET hash = ? WHERE ep_transaction_id = ?')
        .run(head, entry.epTransactionId)
    }
    const { partnerId, tenantId } = chain[0]!
    database
      .prepare('UPDATE accounts SET head_hash = ? WHERE partner_id = ? AND tenant_id = ?')
      .run(head, partnerId, tenantId)
  }
}

function rehashed(text: string): (database: DatabaseSync) => void {
  return (database) => {
    sql(text)(database)
    rehash(database)
  }
}

/** Gives the chains back their heads and the users their counters, whatever the entries say now. */
function recount(database: DatabaseSync): void {
  database.exec(`
    UPDATE accounts SET
      seq = (SELECT max(seq) FROM entries WHERE partner_id = accounts.partner_id AND tenant_id = accounts.tenant_id),
      awarded_at = (SELECT max(awarded_at) FROM entries WHERE partner_id = accounts.partner_id AND tenant_id = accounts.tenant_id);
    UPDATE accounts SET
      day = (awarded_at + 25200000) / 86400000;
    UPDATE accounts SET
      day_points = (SELECT sum(points) FROM entries WHERE partner_id = accounts.partner_id AND tenant_id = accounts.tenant_id
                    AND (awarded_at + 25200000) / 86400000 = accounts.day);
    DELETE FROM user_days;
    INSERT INTO user_days SELECT tenant_id, user_email, (awarded_at + 25200000) / 86400000, sum(points)
      FROM entries GROUP BY 1, 2, 3;
  `)
}

test('the forger’s own tools leave an untouched ledger sound, so what they miss is the tampering', async () => {
  const path = join(folder, 'recounted.db')
  copyFileSync(original, path)
  const database = new DatabaseSync(path)
  database.exec('DROP TRIGGER entries_are_never_changed')
  rehash(database)
  recount(database)
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
    const fault = await faultAfter(sql(`UPDATE entries SET ${column} = ${value} ${ofEntry3}`))
    assert.match(fault, /^acme\/t1 #[34] |^globey\/t1 #3 |^acme\/t1: /)
  })
}

test('a raw amount changed within the same EP is found', async () => {
  const fault = await faultAfter(
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
    assert.match(await faultAfter(sql(`DELETE FROM entries WHERE ep_transaction_id = '${id}'`)), expected)
  })
}

test('an entry deleted and the rest numbered anew is found', async () => {
  const fault = await faultAfter((database) => {
    sql(`DELETE FROM entries ${ofEntry3}`)(database)
    sql(`UPDATE entries SET seq = seq - 1 WHERE ep_transaction_id = '${a4}'`)(database)
    sql(`UPDATE entries SET seq = seq - 1 WHERE ep_transaction_id = '${a5}'`)(database)
  })
  assert.match(fault, /^acme\/t1 #3 .*: its hash does not match/)
})

test('an entry deleted, the rest numbered and hashed anew and all counters set right, is found by the totals', async () => {
  const fault = await faultAfter((database) => {
    sql(`DELETE FROM entries WHERE ep_transaction_id = '${a2}'`)(database)
    for (const id of [a3, a4, a5])
      sql(`UPDATE entries SET seq = seq - 1 WHERE ep_transaction_id = '${id}'`)(database)
    recount(database)
    rehash(database)
  })
  assert.match(fault, /^acme\/t1 #2 .*: its partner-day total is 9, not 4/)
})

test('all entries of an account deleted is found', async () => {
  const fault = await faultAfter(sql("DELETE FROM entries WHERE partner_id = 'globex'"))
  assert.match(fault, /^globex\/t1: has a head at #2 but no entries/)
})

test('all entries of the first account deleted is found, and laid at its own door', async () => {
  const fault = await faultAfter(sql("DELETE FROM entries WHERE partner_id = 'acme' AND tenant_id = 't1'"))
  assert.match(fault, /^acme\/t1: has a head at #5 but no entries/)
})

test('all entries deleted is found', async () => {
  assert.match(await faultAfter(sql('DELETE FROM entries')), /^acme\/t1: has a head at #5 but no entries/)
})

test('two entries swapped are found', async () => {
  const fault = await faultAfter((database) => {
    sql(`UPDATE entries SET seq = 99 WHERE ep_transaction_id = '${a2}'`)(database)
    sql(`UPDATE entries SET seq = 2 WHERE ep_transaction_id = '${a3}'`)(database)
    sql(`UPDATE entries SET seq = 3 WHERE ep_transaction_id = '${a2}'`)(database)
  })
  assert.match(fault, /^acme\/t1 #2 .*: its hash does not match/)
})

test('two entries swapped and all hashed anew are found by their times', async () => {
  const fault = await faultAfter((database) => {
    sql(`UPDATE entries SET seq = 99 WHERE ep_transaction_id = '${a1}'`)(database)
    sql(`UPDATE entries SET seq = 1, partner_day_total = 5 WHERE ep_transaction_id = '${a2}'`)(database)
    sql(`UPDATE entries SET seq = 2, partner_day_total = 8 WHERE ep_transaction_id = '${a1}'`)(database)
    rehash(database)
  })
  assert.match(fault, /^acme\/t1 #2 .*: is older than the entry before it/)
})

test('the e-mails of two entries swapped, with the counters set right, are found', async () => {
  const fault = await faultAfter((database) => {
    database.exec(`UPDATE entries SET user_email = iif(user_email = '${lan}', '${minh}', '${lan}')`)
    recount(database)
  })
  assert.match(fault, /^acme\/t1 #1 .*: its hash does not match/)
})

test('an entry moved to another account is found', async () => {
  const fault = await faultAfter(
    sql(`UPDATE entries SET partner_id = 'globex', seq = 3 WHERE ep_transaction_id = '${a5}'`),
  )
  assert.match(fault, /^acme\/t1: ends at #4 where its head says #5/)
})

test('an entry changed and hashed anew is found by the one after it', async () => {
  const fault = await faultAfter((database) => {
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

test('the last entry changed and hashed anew is found by the head', async () => {
  const fault = await faultAfter((database) => {
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
  const fault = await faultAfter((database) => {
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
  test(`an entry with ${what} is found although every hash was made anew`, async () => {
    const fault = await faultAfter(rehashed(`UPDATE entries SET ${change} ${ofEntry3}`))
    assert.match(fault, expected)
    assert.ok(fault.startsWith(`acme/t1 #3 (${a3}): `), fault)
  })
}

test('a wrong user-day total is found although every hash was made anew', async () => {
  const fault = await faultAfter(rehashed(`UPDATE entries SET user_day_total = 9 ${ofEntry3}`))
  assert.match(fault, /^t1 \(.*\): its user-day total is 9, the entries add up to 8/)
  assert.ok(fault.includes(a3!))
})

test('an award given to another user, hashed and counted anew, is found by the user-day totals', async () => {
  const fault = await faultAfter((database) => {
    rehashed(`UPDATE entries SET user_email = '${minh}' ${ofEntry3}`)(database)
    recount(database)
  })
  assert.match(fault, /^t1 \(.*\): its user-day total is/)
})

test('awards beyond a cap, each with consistent totals and hashes, are found', async () => {
  const fault = await faultAfter(rehashed("UPDATE entries SET per_partner_day = 10 WHERE tenant_id = 't1'"))
  assert.match(fault, /^acme\/t1 #5 .*: the day's 14 EP exceed the perPartnerDay cap of 10/)
})

test('an order credited twice is found, with the unique index out of the way and all else consistent', async () => {
  const fault = await faultAfter((database) => {
    withoutUniqueOrders(database)
    rehashed(`UPDATE entries SET order_id = 'A1' ${ofEntry3}`)(database)
  })
  assert.equal(fault, 'acme: the order "A1" is credited twice')
})

test('an order credited twice over two tenants is found', async () => {
  const fault = await faultAfter((database) => {
    withoutUniqueOrders(database)
    rehashed("UPDATE entries SET order_id = 'A1' WHERE order_id = 'B1'")(database)
  })
  assert.equal(fault, 'acme: the order "A1" is credited twice')
})

function withoutUniqueOrders(database: DatabaseSync): void {
  database.exec(`
    CREATE TABLE copy AS SELECT * FROM entries;
    DROP TABLE entries;
    ALTER TABLE copy RENAME TO entries;
  `)
}

const headChanges: [string, RegExp][] = [
  ['seq = seq + 1', /^acme\/t1: ends at #5 where its head says #6/],
  ['seq = seq - 1', /^acme\/t1: ends at #5 where its head says #4/],
  ['head_hash = zeroblob(32)', /^acme\/t1: its head has another hash/],
  ['awarded_at = awarded_at + 1', /^acme\/t1: its head has another time/],
  ['day = day + 1', /^acme\/t1: its head has another time/],
  ['day_points = day_points + 1', /^acme\/t1: its day counter says 15, the entries add up to 14/],
  ['day_points = 0', /^acme\/t1: its day counter says 0, the entries add up to 14/],
]
for (const [change, expected] of headChanges) {
  test(`a head changed (${change}) is found`, async () => {
    const where = "WHERE partner_id = 'acme' AND tenant_id = 't1'"
    assert.match(await faultAfter(sql(`UPDATE accounts SET ${change} ${where}`)), expected)
  })
}

for (const [partnerId, tenantId] of [
  ['acme', 't1'],
  ['acme', 't2'],
  ['globex', 't1'],
]) {
  test(`the head of ${partnerId}/${tenantId} deleted is found`, async () => {
    const where = `WHERE partner_id = '${partnerId}' AND tenant_id = '${tenantId}'`
    const fault = await faultAfter(sql(`DELETE FROM accounts ${where}`))
    assert.equal(fault, `${partnerId}/${tenantId}: has entries but no head`)
  })
}

for (const [where, partnerId, tenantId] of [
  ['before all others', 'aaa', 't1'],
  ['between two others', 'acme', 't1a'],
  ['after all others', 'zzz', 't1'],
]) {
  test(`a head without entries, ${where}, is found and named`, async () => {
    const fault = await faultAfter(
      sql(`INSERT INTO accounts VALUES ('${partnerId}', '${tenantId}', 3, zeroblob(32), 1, 1, 1)`),
    )
    assert.equal(fault, `${partnerId}/${tenantId}: has a head at #3 but no entries`)
  })
}

const counterChanges: [string, string, RegExp][] = [
  [
    'raised',
    `UPDATE user_days SET points = points + 1 WHERE user_email = '${lan}'`,
    /says 9, the entries add up to 8/,
  ],
  [
    'lowered',
    `UPDATE user_days SET points = 0 WHERE user_email = '${minh}'`,
    /says 0, the entries add up to 5/,
  ],
  [
    'deleted',
    `DELETE FROM user_days WHERE user_email = '${minh}'`,
    /the counter of the user and day of .* is missing/,
  ],
  ['deleted, the last one', "DELETE FROM user_days WHERE tenant_id = 't2'", /^t2: the counter .* is missing/],
  ['all deleted', 'DELETE FROM user_days', /^t1: the counter .* is missing/],
  [
    'moved to an earlier day',
    'UPDATE user_days SET day = day - 1',
    /^t1: a user's counter of 8 EP on day \d+ has no/,
  ],
  ['moved to a later day', 'UPDATE user_days SET day = day + 9', /^t1: the counter .* is missing/],
  [
    'given to another user',
    "UPDATE user_days SET user_email = 'zz' || user_email",
    /^t1: the counter .* is missing/,
  ],
  [
    'added first',
    "INSERT INTO user_days VALUES ('t0', 'a@b.c', 1, 5)",
    /^t0: a user's counter of 5 EP .* no entries/,
  ],
  [
    'added between',
    `INSERT INTO user_days VALUES ('t1', 'm@b.c', 1, 5)`,
    /^t1: a user's counter of 5 EP .* no entries/,
  ],
  [
    'added last',
    "INSERT INTO user_days VALUES ('t9', 'z@b.c', 1, 0)",
    /^t9: a user's counter of 0 EP .* no entries/,
  ],
]
for (const [what, text, expected] of counterChanges) {
  test(`a user's counter of a day ${what} is found`, async () => {
    assert.match(await faultAfter(sql(text)), expected)
  })
}

for (const [table, column] of [
  ['entries', 'points'],
  ['entries', 'raw_amount'],
  ['entries', 'awarded_at'],
  ['accounts', 'seq'],
  ['accounts', 'day_points'],
  ['user_days', 'points'],
]) {
  test(`a number in ${table}.${column} that no award can have is found, and its place named`, async () => {
    const fault = await faultAfter(sql(`UPDATE ${table} SET ${column} = 9223372036854775807`))
    assert.match(fault, new RegExp(`^row 1 of SELECT .* FROM ${table} .* cannot be read`, 's'))
  })
}

test('a ledger is sound at every moment while awards are being written', async (t) => {
  const { writer, store } = await openSqliteLedger(t, join(folder, 'busy.db'))
  let sent = 0
  const sendSome = () =>
    Array.from({ length: 60 }, () => {
      const n = ++sent
      const tenantId = n % 3 === 0 ? 't2' : 't1'
      return writer.award(anOrder(`order-${n}`, { tenantId, userEmail: `user${n % 7}@example.vn` }))
    })
  for (let round = 0; round < 10; round++) {
    const awards = sendSome()
    await Promise.race(awards)
    const snapshot = await store.snapshot()
    const countAtFirst = await snapshot.entryCount()
    awards.push(...sendSome())
    // These are committed in every other round; else they are on their way, in the writer's own thread.
    if (round % 2 === 0) await Promise.all(awards)
    const { fault, entries } = await verifyLedger(snapshot, () => {})
    await snapshot.close()
    assert.equal(fault, null)
    assert.equal(entries, countAtFirst, 'what was written meanwhile is not seen')
    await Promise.all(awards)
  }
  const { sound, entries } = await verifyFile(join(folder, 'busy.db'))
  assert.deepEqual({ sound, entries }, { sound: true, entries: sent })
})

test('a disk that fails is an error, not a verdict', async (t) => {
  const { store } = await openSqliteLedger(t, join(folder, 'failing.db'))
  const snapshot = await store.snapshot()
  t.after(() => snapshot.close())
  const orderCreditedTwice = () => Promise.reject(new Error('the disk failed'))
  await assert.rejects(
    verifyLedger({ ...snapshot, orderCreditedTwice }, () => {}),
    /the disk failed/,
  )
})
