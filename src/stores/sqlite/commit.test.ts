import assert from 'node:assert/strict'
import { join } from 'node:path'
import { StatementSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { makePartner } from '../../../test/support/operators.ts'
import { temporaryFolder } from '../../../test/support/service.ts'
import { anOrder, defaultCaps, verifyFile } from '../../../test/support/sqlite-ledger.ts'
import { aNoon } from '../../../test/support/test-clock.ts'
import { Unavailable } from '../../ledger/errors.ts'
import { setPartnerCaps } from '../../partners/set-partner-caps.ts'
import { suspendPartner } from '../../partners/set-partner-status.ts'
import { setTenantCaps } from '../../partners/set-tenant-caps.ts'
import type { Caps } from '../../rules/caps.ts'
import { entryColumns } from '../entry-row.ts'
import { setDefaultCaps } from '../../partners/set-default-caps.ts'
import { prepareCommit } from './commit.ts'
import { asUnavailable, openDatabase } from './database.ts'
import { migrate } from './migrate.ts'
import { createPartnerRecords } from './partner-records.ts'

const tooManyCaps: Caps = { perTx: 2 ** 53 - 1, perPartnerDay: 2 ** 53 - 1, perUserDay: 2 ** 53 - 1 }

/** The connection of a writer, with acme (t1, t2) to award. */
async function aLedger(test: TestContext, caps = defaultCaps) {
  const path = join(temporaryFolder(test), 'ledger.db')
  const database = openDatabase(path)
  test.after(() => database.close())
  migrate(database)
  const operators = openDatabase(path)
  test.after(() => operators.close())
  const operator = { store: createPartnerRecords(operators), actor: 'test', now: aNoon }
  await setDefaultCaps(operator, caps)
  await makePartner(operator, { tenants: ['t1', 't2'] })
  const tables = ['entries', 'accounts', 'user_days']
  return {
    path,
    database,
    operator,
    commit: prepareCommit(database),
    dump: () => tables.map((table) => database.prepare(`SELECT * FROM ${table}`).all()),
  }
}

test('what a commit wrote is there as it was sent, and proves itself', async (t) => {
  const { commit, database, path } = await aLedger(t)
  const outcomes = commit(
    [anOrder('A1', { amount: 5999, note: 'cà phê\t☕\n', meta: '{}' }), anOrder('A2')],
    aNoon,
  )
  assert.deepEqual(
    outcomes.map(({ kind }) => kind),
    ['credited', 'credited'],
  )
  const row = database.prepare("SELECT * FROM entries WHERE order_id = 'A1'").get()!
  const { epTransactionId, salt } = anOrder('A1')
  const { hash, ...fields } = row
  assert.deepEqual(
    { ...fields },
    {
      partner_id: 'acme',
      tenant_id: 't1',
      seq: 1,
      ep_transaction_id: epTransactionId,
      order_id: 'A1',
      user_email: 'lan@example.vn',
      salt: Uint8Array.from(salt),
      commitment: null,
      raw_amount: 5999,
      amount_per_ep: 1000,
      points: 5,
      note: 'cà phê\t☕\n',
      meta: '{}',
      awarded_at: aNoon,
      per_tx: 10_000,
      per_partner_day: 1_000_000,
      per_user_day: 20_000,
      partner_day_total: 5,
      user_day_total: 5,
    },
  )
  assert.equal((hash as Uint8Array).length, 32)
  assert.deepEqual(Object.keys(row), entryColumns, 'a column that no entry fills')
  assert.equal((await verifyFile(path)).sound, true)
})

for (const [what, text] of [
  ['UPDATE', "UPDATE entries SET note = 'x'"],
  ['an UPDATE that changes nothing', 'UPDATE entries SET note = note'],
  ['UPDATE OR REPLACE', 'UPDATE OR REPLACE entries SET seq = 1'],
  ['DELETE', 'DELETE FROM entries'],
  ['DELETE of one', 'DELETE FROM entries WHERE seq = 2'],
  ['INSERT OR REPLACE', 'INSERT OR REPLACE INTO entries SELECT * FROM entries WHERE seq = 1'],
  ['REPLACE', 'REPLACE INTO entries SELECT * FROM entries'],
  [
    'INSERT OR REPLACE of another entry with the same order',
    `INSERT OR REPLACE INTO entries SELECT partner_id, tenant_id, 99, 'other', ${entryColumns.slice(4).join(', ')} FROM entries WHERE seq = 1`,
  ],
  ['an upsert', "INSERT INTO entries SELECT * FROM entries WHERE true ON CONFLICT DO UPDATE SET note = 'x'"],
]) {
  test(`entries refuse ${what}`, async (t) => {
    const { commit, database, dump } = await aLedger(t)
    commit([anOrder('A1'), anOrder('A2')], aNoon)
    const before = dump()
    assert.throws(() => database.exec(text!), /entries are append-only/)
    assert.deepEqual(dump(), before)
  })
}

test('a second entry for one order is refused by the file itself', async (t) => {
  const { commit, database } = await aLedger(t)
  commit([anOrder('A1')], aNoon)
  const columns = entryColumns.slice(4).join(', ')
  const copy = `INSERT INTO entries SELECT partner_id, 't2', 1, 'another-id', ${columns} FROM entries`
  assert.throws(() => database.exec(copy), /UNIQUE constraint failed: entries.partner_id, entries.order_id/)
})

test('integers are stored as integers, never as floats', async (t) => {
  const { commit, database } = await aLedger(t)
  commit([anOrder('A1')], aNoon)
  for (const table of [
    'entries',
    'accounts',
    'user_days',
    'partners',
    'grants',
    'tenants',
    'keys',
    'audit',
  ]) {
    const columns = database
      .prepare(`SELECT name FROM pragma_table_info('${table}') WHERE type = 'INTEGER'`)
      .all()
    assert.ok(columns.length > 0)
    for (const { name } of columns) {
      const types = database.prepare(`SELECT DISTINCT typeof(${name}) AS type FROM ${table}`).all()
      for (const { type } of types) assert.match(String(type), /^(integer|null)$/, `${table}.${name}`)
    }
  }
})

test('the largest amount, 2^53 - 1, survives, in every sum', async (t) => {
  const { commit, database, path } = await aLedger(t, tooManyCaps)
  const amount = 2 ** 53 - 1
  const [outcome] = commit([anOrder('A1', { amount })], aNoon)
  assert.equal(outcome!.kind, 'credited')
  const row = database
    .prepare(
      'SELECT CAST(raw_amount AS TEXT) AS raw_amount, CAST(per_tx AS TEXT) AS per_tx, points FROM entries',
    )
    .get()
  assert.deepEqual(
    { ...row },
    { raw_amount: '9007199254740991', per_tx: '9007199254740991', points: 9_007_199_254_740 },
  )
  assert.equal(commit([anOrder('A1', { amount })], aNoon)[0]!.kind, 'duplicate')
  assert.equal(commit([anOrder('A1', { amount: amount - 1 })], aNoon)[0]!.kind, 'rejected')
  assert.equal((await verifyFile(path)).sound, true)
})

const metas = [
  '{"price": 1.10, "big": 12345678901234567890, "zero": -0, "exp": 1E5}',
  '{ "b" : 1,\n\t"a" : 2 }',
  '{"text": "cà phê ☕ \\u00e9 \\ud83d\\ude00 \u{1f600}"}',
  '{"nul": "\\u0000"}',
  `{"long": "${'x'.repeat(16_000)}"}`,
]
for (const [index, meta] of metas.entries()) {
  test(`meta survives byte for byte (${index + 1})`, async (t) => {
    const { commit, database } = await aLedger(t)
    commit([anOrder('A1', { meta })], aNoon)
    const stored = database.prepare('SELECT CAST(meta AS BLOB) AS meta FROM entries').get()!.meta
    assert.deepEqual(Buffer.from(stored as Uint8Array), Buffer.from(meta))
    assert.equal(commit([anOrder('A1', { meta })], aNoon)[0]!.kind, 'duplicate')
  })
}

test('orders that differ in a byte are different orders', async (t) => {
  const { commit } = await aLedger(t)
  const orders = ['A1', 'a1', 'A1 ', ' A1', '\u00e9', 'e\u0301', "'; DROP TABLE entries; --", '__proto__']
  const outcomes = commit(
    orders.map((orderId) => anOrder(orderId)),
    aNoon,
  )
  for (const outcome of outcomes) assert.equal(outcome.kind, 'credited')
  for (const orderId of orders) assert.equal(commit([anOrder(orderId)], aNoon)[0]!.kind, 'duplicate')
})

test('a rejection writes nothing at all', async (t) => {
  const { commit, dump } = await aLedger(t)
  commit([anOrder('A1')], aNoon)
  const before = dump()
  const refused = [
    anOrder('small', { amount: 999 }),
    anOrder('large', { amount: 10_001_000 }),
    anOrder('elsewhere', { tenantId: 't9' }),
    anOrder('nobody', { partnerId: 'nobody' }),
    anOrder('A1', { amount: 6000 }),
  ]
  for (const { kind } of commit(refused, aNoon)) assert.equal(kind, 'rejected')
  assert.deepEqual(dump(), before)
})

test('a batch in which one entry cannot be written leaves nothing of any, and the others can be sent again', async (t) => {
  const { commit, dump, path } = await aLedger(t)
  commit([anOrder('A1')], aNoon)
  const before = dump()
  const note = Buffer.from('bytes') as unknown as string
  const batch = [anOrder('A2'), anOrder('A3', { tenantId: 't2' }), anOrder('bad', { note })]
  assert.throws(() => commit(batch, aNoon), /cannot store BLOB value in TEXT column entries.note/)
  assert.deepEqual(dump(), before)
  for (const { kind } of commit(batch.slice(0, 2), aNoon)) assert.equal(kind, 'credited')
  assert.equal((await verifyFile(path)).sound, true)
})

for (const table of ['entries', 'accounts', 'user_days']) {
  test(`a commit is all or nothing: failing at its write to ${table} it leaves nothing`, async (t) => {
    const { commit, database, dump, path } = await aLedger(t)
    commit([anOrder('A1')], aNoon)
    const before = dump()
    database.exec(`
      CREATE TEMP TRIGGER fail_inserts BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ABORT, 'planted'); END`)
    assert.throws(
      () => commit([anOrder('A2'), anOrder('A3', { userEmail: 'minh@example.vn' })], aNoon),
      /planted/,
    )
    assert.deepEqual(dump(), before)
    database.exec('DROP TRIGGER fail_inserts')
    assert.equal(commit([anOrder('A2')], aNoon)[0]!.kind, 'credited')
    assert.equal((await verifyFile(path)).sound, true)
  })
}

test('a commit on a full disk is Unavailable and leaves nothing; with room again the same orders are credited', async (t) => {
  const { commit, database, dump, path } = await aLedger(t)
  commit([anOrder('A1')], aNoon)
  const before = dump()
  const { page_count } = database.prepare('PRAGMA page_count').get()!
  database.exec(`PRAGMA max_page_count = ${page_count}`)
  const batch = Array.from({ length: 100 }, (_, n) => anOrder(`B${n}`, { note: 'x'.repeat(500) }))
  assert.throws(
    () => commit(batch, aNoon),
    (error) => asUnavailable(error) instanceof Unavailable,
  )
  assert.deepEqual(dump(), before)
  database.exec('PRAGMA max_page_count = 1000000')
  for (const { kind } of commit(batch, aNoon)) assert.equal(kind, 'credited')
  assert.equal((await verifyFile(path)).sound, true)
})

test('caps and status that an operator changed hold from the next commit on', async (t) => {
  const { commit, operator } = await aLedger(t)
  const answers = () =>
    commit([anOrder('A1', { amount: 9000 }), anOrder('B1', { tenantId: 't2', amount: 9000 })], aNoon).map(
      (outcome) => (outcome.kind === 'rejected' ? outcome.rejection.code : outcome.kind),
    )
  await setPartnerCaps(operator, 'acme', { perTx: 8, perPartnerDay: undefined }, undefined)
  assert.deepEqual(answers(), ['PER_TX_CAP_EXCEEDED', 'PER_TX_CAP_EXCEEDED'])
  await setPartnerCaps(operator, 'acme', { perTx: 9, perPartnerDay: 8 }, 't2')
  assert.deepEqual(answers(), ['PER_TX_CAP_EXCEEDED', 'DAILY_CAP_EXCEEDED'])
  await setPartnerCaps(operator, 'acme', { perTx: null, perPartnerDay: 8 }, undefined)
  assert.deepEqual(answers(), ['DAILY_CAP_EXCEEDED', 'DAILY_CAP_EXCEEDED'])
  await setPartnerCaps(operator, 'acme', { perTx: null, perPartnerDay: 9 }, undefined)
  await setTenantCaps(operator, 't1', 8)
  assert.deepEqual(answers(), ['DAILY_CAP_EXCEEDED', 'DAILY_CAP_EXCEEDED'])
  await suspendPartner(operator, 'acme')
  assert.deepEqual(answers(), ['PARTNER_SUSPENDED', 'PARTNER_SUSPENDED'])
})

test('after a COMMIT that failed, and yet was made, the next one goes on from what the file says', async (t) => {
  const { commit, path } = await aLedger(t)
  commit([anOrder('A1')], aNoon)
  const { run } = StatementSync.prototype
  const planted = t.mock.method(
    StatementSync.prototype,
    'run',
    function (this: StatementSync, ...values: Parameters<StatementSync['run']>) {
      const result = run.apply(this, values)
      if (this.sourceSQL === 'COMMIT') throw new Error('planted')
      return result
    },
  )
  assert.throws(() => commit([anOrder('A2')], aNoon), /planted/)
  planted.mock.restore()
  const kinds = commit([anOrder('A2'), anOrder('A3')], aNoon).map(({ kind }) => kind)
  assert.deepEqual(kinds, ['duplicate', 'credited'])
  assert.equal((await verifyFile(path)).sound, true)
})

test('two who write to one file go on from what the other has committed', async (t) => {
  const { commit, path } = await aLedger(t)
  const another = openDatabase(path)
  t.after(() => another.close())
  const commitThere = prepareCommit(another)
  const totals: (number | undefined)[] = []
  for (let turn = 0; turn < 3; turn++) {
    for (const [who, write] of [commit, commitThere, commitThere].entries()) {
      const [outcome] = write([anOrder(`${turn}-${who}`)], aNoon)
      totals.push(outcome!.kind === 'credited' ? outcome!.partnerDayRemaining : undefined)
    }
  }
  const { perPartnerDay } = defaultCaps
  assert.deepEqual(
    totals,
    Array.from({ length: 9 }, (_, index) => perPartnerDay - 5 * (index + 1)),
  )
  assert.equal((await verifyFile(path)).sound, true)
})

test('counters go on from the file: totals add up over commits, begin again with each day, and never reopen one', async (t) => {
  const { commit, database, path } = await aLedger(t)
  const day = 86_400_000
  for (const [n, at] of [aNoon, aNoon + 1, aNoon + day, aNoon - day, aNoon + day].entries()) {
    commit([anOrder(`A${n}`), anOrder(`B${n}`)], at)
  }
  const totals = database
    .prepare('SELECT partner_day_total, user_day_total FROM entries ORDER BY seq')
    .all()
    .map((row) => Object.values(row))
  const expected = [5, 10, 15, 20, 5, 10, 15, 20, 25, 30]
  assert.deepEqual(
    totals,
    expected.map((total) => [total, total]),
  )
  assert.equal((await verifyFile(path)).sound, true)
})
