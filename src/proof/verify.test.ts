import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { lan, makeLedgerToForge, minh, sql } from '../../test/support/forged-ledger.ts'
import { anOrder, openSqliteLedger, snapshotOf, verifyFile } from '../../test/support/sqlite-ledger.ts'
import { verifyLedger } from './verify.ts'

const ledger = await makeLedgerToForge({ after })

test('an untouched ledger is sound, and everything in it was checked', async () => {
  assert.deepEqual(await verifyFile(ledger.path), {
    sound: true,
    entries: 8,
    accounts: 3,
    userDays: 5,
    fault: null,
  })
})

test('an empty ledger is sound', async () => {
  assert.deepEqual(await verifyFile(join(ledger.folder, 'empty.db')), {
    sound: true,
    entries: 0,
    accounts: 0,
    userDays: 0,
    fault: null,
  })
})

test('progress goes from nothing to all of it and never back', async () => {
  const snapshot = await snapshotOf(ledger.path)
  const shares: number[] = []
  await verifyLedger(snapshot, (share) => shares.push(share))
  await snapshot.close()
  assert.equal(shares.at(-1), 1)
  assert.deepEqual(
    shares,
    shares.toSorted((a, b) => a - b),
  )
})

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
    assert.match(await ledger.faultAfter(sql(`UPDATE accounts SET ${change} ${where}`)), expected)
  })
}

for (const [partnerId, tenantId] of [
  ['acme', 't1'],
  ['acme', 't2'],
  ['globex', 't1'],
]) {
  test(`the head of ${partnerId}/${tenantId} deleted is found`, async () => {
    const where = `WHERE partner_id = '${partnerId}' AND tenant_id = '${tenantId}'`
    const fault = await ledger.faultAfter(sql(`DELETE FROM accounts ${where}`))
    assert.equal(fault, `${partnerId}/${tenantId}: has entries but no head`)
  })
}

for (const [where, partnerId, tenantId] of [
  ['before all others', 'aaa', 't1'],
  ['between two others', 'acme', 't1a'],
  ['after all others', 'zzz', 't1'],
]) {
  test(`a head without entries, ${where}, is found and named`, async () => {
    const fault = await ledger.faultAfter(
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
    "INSERT INTO user_days VALUES ('t9', 'z@b.c', 1, 5)",
    /^t9: a user's counter of 5 EP .* no entries/,
  ],
]
for (const [what, text, expected] of counterChanges) {
  test(`a user's counter of a day ${what} is found`, async () => {
    assert.match(await ledger.faultAfter(sql(text)), expected)
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
    const fault = await ledger.faultAfter(sql(`UPDATE ${table} SET ${column} = 9223372036854775807`))
    assert.match(fault, new RegExp(`^row 1 of SELECT .* FROM ${table} .* cannot be read`, 's'))
  })
}

test('a ledger is sound at every moment while awards are being written', async (t) => {
  const { store, path } = await openSqliteLedger(t, join(ledger.folder, 'busy.db'))
  let sent = 0
  const sendSome = () =>
    Array.from({ length: 60 }, () => {
      const n = ++sent
      const tenantId = n % 3 === 0 ? 't2' : 't1'
      return store.ledger.award(anOrder(`order-${n}`, { tenantId, userEmail: `user${n % 7}@example.vn` }))
    })
  for (let round = 0; round < 10; round++) {
    const awards = sendSome()
    await Promise.race(awards)
    const snapshot = await snapshotOf(path)
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
  const { sound, entries } = await verifyFile(path)
  assert.deepEqual({ sound, entries }, { sound: true, entries: sent })
})

test('a disk that fails is an error, not a verdict', async (t) => {
  const snapshot = await snapshotOf(ledger.path)
  t.after(() => snapshot.close())
  const failing = () => Promise.reject(new Error('the disk failed'))
  await assert.rejects(
    verifyLedger({ ...snapshot, userDayCount: failing }, () => {}),
    /the disk failed/,
  )
  await assert.rejects(
    verifyLedger({ ...snapshot, userDayCount: async () => 0, accountWithoutOwner: failing }, () => {}),
    /the disk failed/,
  )
})
