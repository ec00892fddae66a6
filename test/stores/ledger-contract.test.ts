import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { proveLedger } from '../../src/proof/fast/prove-ledger.ts'
import { denyTenant } from '../../src/partners/allow-tenant.ts'
import { setPartnerCaps } from '../../src/partners/set-partner-caps.ts'
import { suspendPartner } from '../../src/partners/set-partner-status.ts'
import { setTenantCaps } from '../../src/partners/set-tenant-caps.ts'
import { writeCursor } from '../../src/rules/cursor.ts'
import type { Outcome } from '../../src/rules/decide-batch.ts'
import type { HistoryPage } from '../../src/rules/history-page.ts'
import { openSnapshot } from '../../src/stores/open.ts'
import { storeKind } from '../support/fresh-database.ts'
import { anOrder } from '../support/sqlite-ledger.ts'
import { aStoreLedger } from '../support/store-ledger.ts'
import { awardTogether } from '../support/award-together.ts'

/** What every store promises. Awards that are sent together are committed in one batch. */
const kinds = (outcomes: Outcome[]) =>
  outcomes.map((outcome) => (outcome.kind === 'rejected' ? outcome.rejection.code : outcome.kind))
const ordersOf = (page: string) => (JSON.parse(page) as HistoryPage).items.map(({ orderId }) => orderId)

test('outcomes come in the order of the commands; a copy in the batch, and later, is a duplicate', async (t) => {
  const { store, verify } = await aStoreLedger(t)
  const first = await awardTogether(store.ledger, [
    anOrder('A1'),
    anOrder('small', { amount: 1 }),
    anOrder('A1'),
  ])
  assert.deepEqual(kinds(first), ['credited', 'AMOUNT_BELOW_MIN', 'duplicate'])
  const again = await awardTogether(store.ledger, [
    anOrder('A2'),
    anOrder('A1'),
    anOrder('A1', { amount: 9000 }),
  ])
  assert.deepEqual(kinds(again), ['credited', 'duplicate', 'ORDER_ID_CONFLICT'])
  assert.deepEqual(await verify(), { sound: true, entries: 2, accounts: 1, userDays: 1, fault: null })
})

test('an empty batch is decided at once', async (t) => {
  const { store } = await aStoreLedger(t)
  assert.deepEqual(await awardTogether(store.ledger, []), [])
})

test('one order is credited once, whichever tenant it comes from', async (t) => {
  const { store } = await aStoreLedger(t)
  await awardTogether(store.ledger, [anOrder('A1')])
  const [elsewhere] = await awardTogether(store.ledger, [anOrder('A1', { tenantId: 't2' })])
  assert.deepEqual(kinds([elsewhere!]), ['ORDER_ID_CONFLICT'])
})

test('a batch of refusals writes nothing at all', async (t) => {
  const { store, raw } = await aStoreLedger(t, { perTx: 10, perPartnerDay: 12, perUserDay: 11 })
  await awardTogether(store.ledger, [anOrder('A1', { amount: 10_000 })])
  const dump = async () =>
    Promise.all(['entries', 'accounts', 'user_days'].map((table) => raw.rows(`SELECT * FROM ${table}`)))
  const before = await dump()
  const refused = [
    anOrder('tx', { amount: 11_000, userEmail: 'new1@example.vn' }),
    anOrder('day', { amount: 3000, userEmail: 'new2@example.vn' }),
    anOrder('user', { amount: 2000 }),
    anOrder('small', { amount: 1, userEmail: 'new3@example.vn' }),
    anOrder('A1', { amount: 1000, userEmail: 'new4@example.vn' }),
  ]
  const outcomes = await awardTogether(store.ledger, refused)
  assert.deepEqual(kinds(outcomes), [
    'PER_TX_CAP_EXCEEDED',
    'DAILY_CAP_EXCEEDED',
    'DAILY_CAP_EXCEEDED',
    'AMOUNT_BELOW_MIN',
    'ORDER_ID_CONFLICT',
  ])
  assert.deepEqual(await dump(), before)
  await awardTogether(store.ledger, [anOrder('first', { partnerId: 'globex', amount: 1 })])
  assert.deepEqual(await dump(), before, 'not even an account or a counter for what was refused')
})

test('a batch with refusals among credits and duplicates leaves no trace of them', async (t) => {
  const { store, raw, verify } = await aStoreLedger(t)
  await awardTogether(store.ledger, [
    anOrder('A1'),
    anOrder('small', { amount: 1, userEmail: 'refused@example.vn' }),
    anOrder('A2', { userEmail: 'other@example.vn' }),
  ])
  const mixed = [anOrder('A1'), anOrder('tiny', { amount: 1, userEmail: 'refused@example.vn' })]
  assert.deepEqual(kinds(await awardTogether(store.ledger, mixed)), ['duplicate', 'AMOUNT_BELOW_MIN'])
  const users = await raw.rows('SELECT user_email FROM user_days ORDER BY user_email')
  assert.deepEqual(
    users.map((row) => row.user_email),
    ['lan@example.vn', 'other@example.vn'],
  )
  assert.equal((await verify()).sound, true)
})

test('what was sent is stored as it was sent', async (t) => {
  const { store, raw } = await aStoreLedger(t)
  const awkward = {
    amount: 2 ** 53 - 1,
    note: 'cà phê\t☕\n',
    meta: '{ "b":1.10,\n"a":12345678901234567890, "nul":"\\u0000", "x":"\u{1f600}" }',
  }
  for (const orderId of [
    'A1',
    'a1',
    'A1 ',
    '\u00e9',
    'e\u0301',
    "'; DROP TABLE entries; --",
    '🎁'.repeat(200),
  ]) {
    assert.deepEqual(
      kinds(
        await awardTogether(store.ledger, [
          anOrder(orderId, { ...awkward, userEmail: `u${orderId.length}@x.vn` }),
        ]),
      ),
      ['credited'],
    )
  }
  const [row] = await raw.rows(
    "SELECT note, meta, CAST(raw_amount AS text) AS amount FROM entries WHERE order_id = 'A1'",
  )
  assert.deepEqual({ ...row }, { note: awkward.note, meta: awkward.meta, amount: '9007199254740991' })
  const replay = anOrder('A1', { ...awkward, userEmail: 'u2@x.vn' })
  assert.deepEqual(kinds(await awardTogether(store.ledger, [replay])), ['duplicate'])
})

test('history is newest first and stops where it is told', async (t) => {
  const { store } = await aStoreLedger(t)
  await awardTogether(
    store.ledger,
    Array.from({ length: 5 }, (_, index) => anOrder(`A${index + 1}`)),
  )
  await awardTogether(store.ledger, [anOrder('other', { tenantId: 't2' })])
  const account = { partnerId: 'acme', tenantId: 't1' }
  const page = async (beforeSeq: number | null, limit: number) =>
    ordersOf(await store.ledger.historyPage({ ...account, beforeSeq, limit }))
  assert.deepEqual(await page(null, 3), ['A5', 'A4', 'A3'])
  assert.deepEqual(await page(3, 3), ['A2', 'A1'])
  assert.deepEqual(await page(1, 3), [])
})

test('a page of history is the text of the response, byte for byte', async (t) => {
  const { store, clock } = await aStoreLedger(t)
  const note = 'tab\t, newline\n, \u007f, \u2028, "quotes", \\, \u{1f600}'
  const { epTransactionId } = anOrder('A2')
  await awardTogether(store.ledger, [anOrder('A1'), anOrder('A2', { note })])
  const awardedAt = new Date(clock.now()).toISOString()
  const item = { epTransactionId, orderId: 'A2', userEmail: 'lan@example.vn', points: 5, note, awardedAt }
  const account = { partnerId: 'acme', tenantId: 't1' }
  assert.equal(
    await store.ledger.historyPage({ ...account, beforeSeq: null, limit: 1 }),
    JSON.stringify({ tenantId: 't1', items: [item], nextCursor: writeCursor(account, 2) }),
  )
  assert.equal(
    await store.ledger.historyPage({ ...account, tenantId: 't2', beforeSeq: null, limit: 1 }),
    '{"tenantId":"t2","items":[],"nextCursor":null}',
  )
})

test('a clock that is set back neither re-opens a day nor turns the order round', async (t) => {
  const { store, clock, verify } = await aStoreLedger(t, { perPartnerDay: 10, perUserDay: 10 })
  clock.advance(86_400_000)
  await awardTogether(store.ledger, [anOrder('A1', { amount: 8000 })])
  clock.advance(-86_400_000)
  const [over, fits] = await awardTogether(store.ledger, [
    anOrder('A2', { amount: 3000 }),
    anOrder('A3', { amount: 2000 }),
  ])
  assert.deepEqual(kinds([over!, fits!]), ['DAILY_CAP_EXCEEDED', 'credited'])
  const { sound, userDays } = await verify()
  assert.deepEqual({ sound, userDays }, { sound: true, userDays: 1 })
})

test('a cap, a suspension and a withdrawn tenant count with the next commit', async (t) => {
  const { store, operator } = await aStoreLedger(t)
  const next = async (orderId: string) => kinds(await awardTogether(store.ledger, [anOrder(orderId)]))[0]
  assert.equal(await next('A1'), 'credited')
  await setPartnerCaps(operator, 'acme', { perTx: 4, perPartnerDay: undefined }, 't1')
  assert.equal(await next('A2'), 'PER_TX_CAP_EXCEEDED')
  await setPartnerCaps(operator, 'acme', { perTx: null, perPartnerDay: undefined }, 't1')
  await setTenantCaps(operator, 't1', 9)
  assert.equal(await next('A3'), 'DAILY_CAP_EXCEEDED')
  await setTenantCaps(operator, 't1', null)
  assert.equal(await next('A4'), 'credited')
  await suspendPartner(operator, 'acme')
  assert.equal(await next('A5'), 'PARTNER_SUSPENDED')
  assert.equal(await next('A4'), 'duplicate')
  await denyTenant(operator, 'acme', 't1')
  assert.equal(await next('A4'), 'TENANT_NOT_ALLOWED')
})

test('entries are append-only', async (t: TestContext) => {
  const { store, raw } = await aStoreLedger(t)
  await awardTogether(store.ledger, [anOrder('A1')])
  for (const sql of ["UPDATE entries SET note = 'x'", 'DELETE FROM entries']) {
    await assert.rejects(() => raw.run(sql), /append-only/)
  }
})

const tampering: [what: string, sql: string, fault: RegExp][] = [
  ['an edited amount', 'UPDATE entries SET raw_amount = 1005000 WHERE seq = 2', /#2.*hash/],
  ['an edited address', "UPDATE entries SET user_email = 'me@example.vn' WHERE seq = 2", /#2.*hash/],
  ['a removed entry', 'DELETE FROM entries WHERE seq = 2', /#3.*missing or out of order/],
  ['a removed last entry', 'DELETE FROM entries WHERE seq = 3', /ends at #2 where its head says #3/],
  ['a changed day counter', 'UPDATE accounts SET day_points = 1', /day counter says 1/],
  ['a changed user counter', 'UPDATE user_days SET points = 1', /says 1, the entries add up to 15/],
  ['a removed user counter', 'DELETE FROM user_days', /is missing/],
  [
    'a user counter without entries',
    "INSERT INTO user_days VALUES ('t1', 'zz@x.vn', 1, 5)",
    /has no entries/,
  ],
]
test('a sound ledger is proved in one pass, without the patient walk', async (t) => {
  const { store, database } = await aStoreLedger(t)
  await awardTogether(store.ledger, [
    anOrder('A1', { note: 'for Lan', meta: '{"shop": 1.10}' }),
    anOrder('A2'),
  ])
  await awardTogether(store.ledger, [anOrder('G1', { partnerId: 'globex' })])
  const snapshot = await openSnapshot(database)
  try {
    assert.deepEqual(await proveLedger(snapshot, { advance: () => {} }), {
      counts: { entries: 3, accounts: 2, userDays: 1 },
      fault: null,
    })
  } finally {
    await snapshot.close()
  }
})

test('verify does not mind what was made to be locked and then not needed', async (t) => {
  const { store, raw, verify } = await aStoreLedger(t)
  await awardTogether(store.ledger, [anOrder('A1')])
  await raw.run("INSERT INTO user_days VALUES ('t0', 'a@x.vn', 1, 0), ('t1', 'zz@x.vn', 1, 0)")
  const noHash = storeKind === 'sqlite' ? 'zeroblob(32)' : "decode(repeat('00', 32), 'hex')"
  await raw.run(
    `INSERT INTO accounts VALUES ('acme', 't0', 0, ${noHash}, 0, 0, 0), ('zz', 't1', 0, ${noHash}, 0, 0, 0)`,
  )
  assert.deepEqual(await verify(), { sound: true, entries: 1, accounts: 1, userDays: 1, fault: null })
})

for (const [what, sql, fault] of tampering) {
  test(`verify finds ${what} and names it, and no address`, async (t) => {
    const { store, raw, verify } = await aStoreLedger(t)
    await awardTogether(store.ledger, [anOrder('A1'), anOrder('A2'), anOrder('A3')])
    assert.equal((await verify()).sound, true)
    await raw.unlock()
    await raw.run(sql)
    const verification = await verify()
    assert.equal(verification.sound, false)
    assert.match(verification.fault!, fault)
    assert.doesNotMatch(verification.fault!, /@/)
  })
}
