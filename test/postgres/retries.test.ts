import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import type pg from 'pg'
import { LockTimeout } from '../../src/ledger/errors.ts'
import { vietnamDay } from '../../src/rules/vietnam-day.ts'
import { batchesOnPostgres } from '../../src/stores/postgres/batch-kind.ts'
import { prepareCommit } from '../../src/stores/postgres/commit.ts'
import { openPool } from '../../src/stores/postgres/database.ts'
import { anAwardBody } from '../support/client.ts'
import { deadlocksIn, lockWaits, openSession, urlOf } from '../support/database-sessions.ts'
import { eventually } from '../support/eventually.ts'
import { runSql } from '../support/fresh-database.ts'
import { assertUnavailable } from '../support/problem-assertions.ts'
import { startService } from '../support/service.ts'
import { anOrder } from '../support/sqlite-ledger.ts'
import { aStoreLedger } from '../support/store-ledger.ts'

/** The first `failures` writes of an entry fail with this error. */
function failingWrites(sqlState: string, failures: number, timing: 'IMMEDIATE' | 'DEFERRED'): string {
  return `
    CREATE SEQUENCE attempts MINVALUE 0;
    CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF nextval('attempts') < ${failures} THEN
        RAISE EXCEPTION 'this one fails' USING ERRCODE = '${sqlState}';
      END IF;
      RETURN NULL;
    END $$;
    CREATE CONSTRAINT TRIGGER fails AFTER INSERT ON entries
      DEFERRABLE INITIALLY ${timing} FOR EACH ROW EXECUTE FUNCTION fail()`
}

const noMoreFailures = 'DROP TRIGGER fails ON entries; DROP FUNCTION fail; DROP SEQUENCE attempts'

test('temporary failures are retried', async (t) => {
  const service = await startService(t)
  const url = urlOf(service)
  const { acme } = service
  const entriesOf = async (orderId: string) =>
    (await acme.history('t1')).body.items.filter((item: { orderId: string }) => item.orderId === orderId)
      .length

  await t.test('an award that is the victim of a deadlock is credited, once', async (t) => {
    const order = anAwardBody({ userEmail: 'lan@example.vn' })
    await acme.award({ userEmail: 'lan@example.vn' })
    const other = await openSession(t, url)
    await other.query(`SET deadlock_timeout = '1min'`) // so that the other one is the victim
    await other.query('BEGIN; SELECT * FROM user_days FOR UPDATE')
    const award = acme.award(order)
    await lockWaits(url)
    await other.query('SELECT * FROM accounts FOR UPDATE')
    await other.query('ROLLBACK')
    equal((await award).status, 202)
    await eventually('the deadlock is counted', async () => (await deadlocksIn(service)) === 1)
    equal(await entriesOf(order.orderId as string), 1)
  })

  for (const timing of ['IMMEDIATE', 'DEFERRED'] as const) {
    const when = timing === 'IMMEDIATE' ? 'in a write' : 'at COMMIT'
    for (const sqlState of ['40001', '40P01']) {
      await t.test(`an award that fails thrice with ${sqlState} ${when} is credited, once`, async () => {
        await runSql(url, failingWrites(sqlState, 3, timing))
        const order = anAwardBody()
        equal((await acme.award(order)).status, 202)
        await runSql(url, noMoreFailures)
        equal(await entriesOf(order.orderId as string), 1)
        equal((await acme.award(order)).body.code, 'DUPLICATE')
      })
    }
  }

  await t.test(
    'what does not pass is given up after a few attempts with 503, and nothing is recorded',
    async () => {
      await runSql(url, failingWrites('40001', 1_000_000, 'IMMEDIATE'))
      const before = await service.dump()
      const order = anAwardBody()
      assertUnavailable(await acme.award(order))
      const [{ attempts }] = await runSql(url, `SELECT last_value::int + 1 AS attempts FROM attempts`)
      ok(attempts > 1 && attempts <= 10, `${attempts} attempts`)
      equal(await service.dump(), before)
      await runSql(url, noMoreFailures)
      equal((await acme.award(order)).status, 202)
    },
  )

  await t.test(
    'an award that waits too long for its account is 503 and leaves no lock and no session behind',
    async (t) => {
      const other = await openSession(t, url)
      await other.query('BEGIN; SELECT * FROM accounts FOR UPDATE')
      const order = anAwardBody()
      assertUnavailable(await acme.award(order))
      await lockWaits(url, 0)
      await other.query('ROLLBACK')
      equal((await acme.award(order)).status, 202)
    },
  )

  await t.test('afterwards the ledger is sound', async () => {
    const { sound, fault } = await service.verify()
    equal(sound, true, fault ?? '')
  })
})

test("an award that races for the first one of its user's day adds to what the other has counted", async (t) => {
  const service = await startService(t)
  const url = urlOf(service)
  const other = await openSession(t, url)
  const day = vietnamDay(service.clock.now())
  await other.query(`BEGIN; INSERT INTO user_days VALUES ('t1', 'lan@example.vn', ${day}, 7)`)
  const award = service.acme.award({ userEmail: 'lan@example.vn', amount: 5000 })
  await lockWaits(url)
  await other.query('COMMIT')
  equal((await award).status, 202)
  deepEqual(await runSql(url, 'SELECT points::int FROM user_days'), [{ points: 12 }])
})

/** An index that is replaced is called …_ccold until every transaction that may still use it has ended. */
const racesFor = [
  {
    table: 'user_days',
    index: 'user_days_pkey',
    insert: (day: number) => `INSERT INTO user_days VALUES ('t1', 'lan@example.vn', ${day}, 7)`,
    expected: 202,
  },
  {
    table: 'entries',
    index: 'entries_by_order',
    insert: () => `
      CREATE TEMP TABLE copy AS SELECT * FROM entries;
      UPDATE copy SET tenant_id = 't2', order_id = 'raced for';
      INSERT INTO entries SELECT * FROM copy`,
    expected: 409,
  },
]
for (const { table, index, insert, expected } of racesFor) {
  test(`an award that loses a race while REINDEX CONCURRENTLY replaces ${index} is tried again`, async (t) => {
    const service = await startService(t)
    const url = urlOf(service)
    await service.acme.award()
    const [reader, maintenance, other] = await Promise.all([1, 2, 3].map(() => openSession(t, url)))
    await reader!.query(`BEGIN; LOCK TABLE ${table} IN ACCESS SHARE MODE`)
    const replaced = maintenance!.query(`REINDEX TABLE CONCURRENTLY ${table}`)
    await eventually('the index is being replaced', async () => {
      const [{ found }] = await runSql(url, `SELECT to_regclass('${index}_ccold') IS NOT NULL AS found`)
      return found
    })
    await other!.query(`BEGIN; ${insert(vietnamDay(service.clock.now()))}`)
    const award = service.acme.award({ orderId: 'raced for', userEmail: 'lan@example.vn' })
    await waitsFor(url, other!)
    await other!.query('COMMIT')
    equal((await award).status, expected)
    await reader!.query('COMMIT')
    await replaced
  })
}

for (const { index, insert, expected } of racesFor) {
  test(`an award that loses a race is tried again, although somebody has renamed ${index}`, async (t) => {
    const service = await startService(t)
    const url = urlOf(service)
    await service.acme.award()
    await runSql(url, `ALTER INDEX ${index} RENAME TO "Renamed"`)
    const other = await openSession(t, url)
    await other.query(`BEGIN; ${insert(vietnamDay(service.clock.now()))}`)
    const award = service.acme.award({ orderId: 'raced for', userEmail: 'lan@example.vn' })
    await waitsFor(url, other)
    await other.query('COMMIT')
    equal((await award).status, expected)
  })
}

test("a batch that loses race after race for first awards of its users' day is credited", async (t) => {
  const { database, clock } = await aStoreLedger(t)
  const url = urlOf({ config: { database } })
  const pool = openPool(url, { connectionsMax: 1 })
  t.after(() => pool.end())
  // It waits nine times, and a busy machine may take a second for each: the usual limits are not what this is about.
  const patient = { waitMaxMs: 60_000, begin: batchesOnPostgres.begin(60_000) }
  const batches = { ...batchesOnPostgres, lockWaits: { brief: patient, short: patient, long: patient } }
  const commit = prepareCommit(pool, { batches, clock })
  const day = vietnamDay(clock.now())
  const users = Array.from({ length: 9 }, (_, index) => `user${index}@example.vn`)
  const sessions = [await openSession(t, url), await openSession(t, url)] as const
  const insert = (index: number) =>
    sessions[index % 2]!.query(`BEGIN; INSERT INTO user_days VALUES ('t1', '${users[index]}', ${day}, 7)`)
  await insert(0)
  const awards = commit(users.map((userEmail) => anOrder(userEmail, { userEmail, amount: 5000 })))
  // What the batch waits for is committed by another session, which has inserted the next one by then.
  for (let index = 1; index < users.length; index++) {
    await waitsFor(url, sessions[(index - 1) % 2]!)
    await insert(index)
    await sessions[(index - 1) % 2]!.query('COMMIT')
  }
  await waitsFor(url, sessions[(users.length - 1) % 2]!)
  await sessions[(users.length - 1) % 2]!.query('COMMIT')
  deepEqual(
    (await awards).map(({ kind }) => kind),
    users.map(() => 'credited'),
  )
  const counters = await runSql(url, 'SELECT DISTINCT points::int FROM user_days')
  deepEqual(counters, [{ points: 12 }])
})

test('a brief wait that is over before a temporary failure has passed is a lock timeout: a longer one follows', async (t) => {
  const { database, clock } = await aStoreLedger(t)
  const url = urlOf({ config: { database } })
  const pool = openPool(url, { connectionsMax: 1 })
  t.after(() => pool.end())
  await runSql(url, failingWrites('40001', 1, 'IMMEDIATE'))
  const quick = { ...clock, elapsed: () => performance.now() * 1000 }
  const commit = prepareCommit(pool, { batches: batchesOnPostgres, clock: quick })
  await rejects(commit([anOrder('A1')], 'brief'), LockTimeout)
  equal((await commit([anOrder('A1')], 'long'))[0]!.kind, 'credited')
})

test("after a lost race, a batch that counts nothing leaves its users' counters untouched", async (t) => {
  const { database, clock, store } = await aStoreLedger(t)
  const url = urlOf({ config: { database } })
  const order = anOrder('known', { userEmail: 'lan@example.vn' })
  equal((await store.ledger.award(order)).kind, 'credited')
  const pool = openPool(url, { connectionsMax: 1 })
  t.after(() => pool.end())
  const races = { seenAt: clock.elapsed() }
  const commit = prepareCommit(pool, { batches: batchesOnPostgres, clock, races })
  const versions = () => runSql(url, 'SELECT user_email, ctid::text FROM user_days ORDER BY 1')
  const before = await versions()
  const outcomes = await commit([order, anOrder('too small', { userEmail: 'mai@example.vn', amount: 1 })])
  deepEqual(
    outcomes.map(({ kind }) => kind),
    ['duplicate', 'rejected'],
  )
  deepEqual(await versions(), before, 'a version that is written only to lock slows down everyone after it')
})

/** Waits until a session of the service waits for this one. */
async function waitsFor(url: string, session: pg.Client): Promise<void> {
  const { rows } = await session.query('SELECT pg_backend_pid() AS pid')
  await eventually('the batch waits', async () => {
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE ${rows[0].pid} = ANY (pg_blocking_pids(pid))`
    return (await runSql(url, waiting)).length > 0
  })
}
