import { deepEqual, equal } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../../src/clock.ts'
import { Unavailable } from '../../../src/ledger/errors.ts'
import type { AwardCommand } from '../../../src/rules/entry.ts'
import { vietnamDay } from '../../../src/rules/vietnam-day.ts'
import { servePostgres } from '../../../src/stores/postgres/open.ts'
import { anAward } from '../../support/awards.ts'
import { openSession } from '../../support/database-sessions.ts'
import { makePartner } from '../../support/operators.ts'
import { aStoreLedger, type StoreLedger } from '../../support/store-ledger.ts'
import { awardTogether } from '../../support/award-together.ts'

const dayMs = 86_400_000
const acme1 = { partnerId: 'acme', tenantId: 't1' }
const acme2 = { partnerId: 'acme', tenantId: 't2' }
const globex1 = { partnerId: 'globex', tenantId: 't1' }

const fresh = (overrides: Partial<AwardCommand>) =>
  anAward({ epTransactionId: randomUUID(), orderId: randomUUID(), ...overrides })

async function kindsOf({ store }: StoreLedger, commands: AwardCommand[]): Promise<string[]> {
  const outcomes = await awardTogether(store.ledger, commands)
  return outcomes.map((outcome) => (outcome.kind === 'rejected' ? outcome.rejection.code : outcome.kind))
}

const accountsIn = async ({ raw }: StoreLedger) =>
  (await raw.rows('SELECT partner_id, tenant_id, seq::int FROM accounts ORDER BY 1, 2')).map((row) =>
    Object.values(row).join(' '),
  )

async function assertSound(ledger: StoreLedger): Promise<void> {
  const { sound, fault } = await ledger.verify()
  equal(sound, true, fault ?? '')
}

test('awards of several accounts, new ones among them, are credited in one commit', async (t) => {
  const ledger = await aStoreLedger(t)
  await awardTogether(ledger.store.ledger, [fresh(acme2)])
  const before = await ledger.raw.rows('SELECT xmin FROM accounts')
  deepEqual(await kindsOf(ledger, [acme1, globex1, acme2, acme1].map(fresh)), Array(4).fill('credited'))
  deepEqual(await accountsIn(ledger), ['acme t1 2', 'acme t2 2', 'globex t1 1'])
  const after = await ledger.raw.rows('SELECT DISTINCT xmin::text FROM accounts')
  equal(before.length, 1)
  equal(after.length, 1, 'all were written by one transaction')
  await assertSound(ledger)
})

test('each account of a batch has its own outcome, and a refused one leaves no row behind', async (t) => {
  const ledger = await aStoreLedger(t, { perTx: 10 })
  const known = fresh(acme1)
  await awardTogether(ledger.store.ledger, [known])
  const commands = [
    fresh({ ...globex1, amount: 11_000, userEmail: 'unused@example.vn' }),
    known,
    fresh(acme1),
    fresh({ ...acme2, amount: 999 }),
    fresh({ ...globex1, tenantId: 't9' }),
  ]
  deepEqual(await kindsOf(ledger, commands), [
    'PER_TX_CAP_EXCEEDED',
    'duplicate',
    'credited',
    'AMOUNT_BELOW_MIN',
    'TENANT_NOT_ALLOWED',
  ])
  deepEqual(await accountsIn(ledger), ['acme t1 2'])
  equal((await ledger.raw.rows('SELECT * FROM user_days WHERE points = 0')).length, 0)
  await assertSound(ledger)
})

test('several accounts of which all are refused leave nothing behind', async (t) => {
  const ledger = await aStoreLedger(t, { perTx: 1 })
  deepEqual(await kindsOf(ledger, [acme1, globex1].map(fresh)), Array(2).fill('PER_TX_CAP_EXCEEDED'))
  deepEqual(await accountsIn(ledger), [])
  equal((await ledger.raw.rows('SELECT * FROM user_days')).length, 0)
})

test('one order for two tenants of a partner in one commit is credited in the first and a conflict in the other', async (t) => {
  const ledger = await aStoreLedger(t)
  const commands = [fresh({ ...acme2, orderId: 'A1' }), fresh({ ...acme1, orderId: 'A1' })]
  deepEqual(await kindsOf(ledger, commands), ['credited', 'ORDER_ID_CONFLICT'])
  deepEqual(await accountsIn(ledger), ['acme t2 1'])
  await assertSound(ledger)
})

test('one user’s points in two accounts of one commit add up under the cap', async (t) => {
  const ledger = await aStoreLedger(t, { perUserDay: 9 })
  deepEqual(await kindsOf(ledger, [acme1, globex1, acme2].map(fresh)), [
    'credited',
    'DAILY_CAP_EXCEEDED',
    'credited',
  ])
  await assertSound(ledger)
})

test('while the clock is behind some accounts of a commit, each is charged on the day of its own', async (t) => {
  const ledger = await aStoreLedger(t)
  const { clock, store, raw } = ledger
  const today = vietnamDay(clock.now())
  clock.advance(dayMs)
  await awardTogether(store.ledger, [fresh(acme1)])
  clock.advance(-dayMs)
  deepEqual(await kindsOf(ledger, [acme2, acme1, globex1].map(fresh)), Array(3).fill('credited'))
  const days = await raw.rows('SELECT tenant_id, day::int, points::int FROM user_days ORDER BY 1, 2')
  deepEqual(days, [
    { tenant_id: 't1', day: today, points: 5 },
    { tenant_id: 't1', day: today + 1, points: 10 },
    { tenant_id: 't2', day: today, points: 5 },
  ])
  await assertSound(ledger)
})

test('an account that another session holds does not take the others of its commit with it', async (t) => {
  const ledger = await aStoreLedger(t)
  const { store, database } = ledger
  await awardTogether(store.ledger, [acme1, acme2, globex1].map(fresh))
  const other = await openSession(t, database.kind === 'postgres' ? database.url : '')
  await other.query(`BEGIN; SELECT * FROM accounts WHERE partner_id = 'acme' AND tenant_id = 't1' FOR UPDATE`)
  const [held, ...free] = [acme1, acme2, globex1].map((account) => store.ledger.award(fresh(account)))
  const refused = held!.then(
    () => false,
    (fault) => fault instanceof Unavailable,
  )
  for (const { kind } of await Promise.all(free)) equal(kind, 'credited')
  // And while it waits alone, the others continue.
  equal((await store.ledger.award(fresh(acme2))).kind, 'credited')
  equal(await refused, true)
  await other.query('ROLLBACK')
  equal((await store.ledger.award(fresh(acme1))).kind, 'credited')
  deepEqual(await accountsIn(ledger), ['acme t1 2', 'acme t2 3', 'globex t1 2'])
  await assertSound(ledger)
})

const locks = {
  'twenty accounts of one partner': `SELECT * FROM accounts WHERE partner_id = 'locked' FOR UPDATE`,
  'a user to whom twenty partners award': `SELECT * FROM user_days WHERE user_email = 'locked@example.vn' FOR UPDATE`,
}

for (const [what, lock] of Object.entries(locks))
  test(`while another session holds ${what}, all others are credited`, async (t) => {
    const { database, operator, verify } = await aStoreLedger(t)
    const url = database.kind === 'postgres' ? database.url : ''
    const names = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}${i}`)
    const others = [...names('other', 20), 'locked']
    for (const partnerId of others) await makePartner(operator, { partnerId, tenants: names('t', 20) })
    const node = await servePostgres(url, { caps: {}, clock: systemClock, warn: () => {} })
    t.after(() => node.close())
    const award = (overrides: Partial<AwardCommand>) =>
      node.ledger.award(fresh(overrides)).then(
        ({ kind }) => kind,
        (error: Error) => error.message,
      )
    const byAccounts = names('t', 20).map((tenantId) => ({ partnerId: 'locked', tenantId }))
    const byUser = names('other', 20).map((partnerId) => ({
      partnerId,
      tenantId: 't0',
      userEmail: 'locked@example.vn',
    }))
    const held = what.includes('user') ? byUser : byAccounts
    deepEqual(await Promise.all(held.map(award)), Array(20).fill('credited'))

    const other = await openSession(t, url)
    await other.query(`BEGIN; ${lock}`)
    const [refused, free]: Promise<string>[][] = [[], []]
    for (let round = 0; round < 10; round++) {
      refused!.push(...held.map(award))
      free!.push(award(acme1), award(acme2), award(globex1))
      await sleep(300)
    }
    deepEqual(await Promise.all(free!), Array(30).fill('credited'))
    await other.query('ROLLBACK')
    await Promise.all(refused!)
    deepEqual(await Promise.all(held.map(award)), Array(20).fill('credited'))
    await node.ledger.close()
    equal((await verify()).sound, true)
  })

test('an award writes its user’s counter once; an award that only reads it locks it and writes nothing', async (t) => {
  const ledger = await aStoreLedger(t, { perUserDay: 12 })
  /** Its position in the page: every version of a row takes the next one. */
  const place = async () => {
    const [row] = await ledger.raw.rows('SELECT ctid::text AS ctid FROM user_days')
    return Number(/\(0,(\d+)\)/.exec(String(row!.ctid))![1])
  }
  const known = fresh(acme1)
  await awardTogether(ledger.store.ledger, [known])
  const first = await place()
  deepEqual(await kindsOf(ledger, [fresh(acme1), fresh(acme1)]), ['credited', 'DAILY_CAP_EXCEEDED'])
  equal(await place(), first + 1)
  deepEqual(await kindsOf(ledger, [known]), ['duplicate'])
  equal(await place(), first + 1)
  deepEqual(await kindsOf(ledger, [known, fresh(globex1)]), ['duplicate', 'DAILY_CAP_EXCEEDED'])
  equal(await place(), first + 1)
  await assertSound(ledger)
})
