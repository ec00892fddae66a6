import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { suspendPartner } from '../../src/partners/set-partner-status.ts'
import type { Outcome } from '../../src/rules/decide-batch.ts'
import { vietnamDay } from '../../src/rules/vietnam-day.ts'
import { batchesOnCitus } from '../../src/stores/postgres/citus/batches.ts'
import { noShardMap } from '../../src/stores/postgres/citus/shard-map.ts'
import { prepareCommit } from '../../src/stores/postgres/commit.ts'
import { openPool, type Pool } from '../../src/stores/postgres/database.ts'
import { withoutShards } from '../support/citus-anywhere.ts'
import { openSession } from '../support/database-sessions.ts'
import { eventually } from '../support/eventually.ts'
import { runSql } from '../support/run-sql.ts'
import type { Lifetime } from '../support/service.ts'
import { anOrder } from '../support/sqlite-ledger.ts'
import { aStoreLedger } from '../support/store-ledger.ts'

/** As on Citus, where a batch does not look for its orders: the unique key reports those that are not new. */
async function aLedgerThatExpectsNewOrders(test: Lifetime) {
  const ledger = await aStoreLedger(test, { perPartnerDay: 100 })
  const url = ledger.database.kind === 'postgres' ? ledger.database.url : ''
  const pool = openPool(url, { connectionsMax: 1 })
  test.after(() => pool.end())
  let looked = 0
  countQueries(pool, 'select-known-of-partner', () => looked++)
  const patient = { waitMaxMs: 60_000, begin: batchesOnCitus(noShardMap).begin(60_000) }
  const batches = {
    ...withoutShards(batchesOnCitus(noShardMap)),
    lockWaits: { brief: patient, short: patient, long: patient },
  }
  const replays = { seenAt: Number.NEGATIVE_INFINITY }
  const commit = prepareCommit(pool, { batches, clock: ledger.clock, replays })
  return { ...ledger, url, commit, looked: () => looked }
}

test('an order that is not new is a duplicate, and the new ones of its batch are credited', async (t) => {
  const { commit, looked, clock, verify } = await aLedgerThatExpectsNewOrders(t)
  const [original] = await commit([anOrder('known')])
  equal(looked(), 0)
  const outcomes = await commit([anOrder('new 1'), anOrder('known'), anOrder('new 2')])
  deepEqual(kindsOf(outcomes), ['credited', 'duplicate', 'credited'])
  equal(idOf(outcomes[1]!), idOf(original!))
  equal(looked(), 1)

  await commit([anOrder('new 3')])
  equal(looked(), 2, 'after a replay the next batches look first')
  clock.advance(10_001)
  await commit([anOrder('new 4')])
  equal(looked(), 2, 'until none has come for a while')
  equal((await verify()).fault, null)
})

test('a replay is a duplicate, and a changed one a conflict, also where a new order is rejected', async (t) => {
  const { commit, operator } = await aLedgerThatExpectsNewOrders(t)
  await commit([anOrder('known', { amount: 60_000 })])
  const pastTheCap = await commit([anOrder('known', { amount: 60_000 }), anOrder('new', { amount: 60_000 })])
  deepEqual(kindsOf(pastTheCap), ['duplicate', 'rejected'])
  deepEqual(codesOf(await commit([anOrder('known', { amount: 1 })])), ['ORDER_ID_CONFLICT'])
  await suspendPartner(operator, 'acme')
  const whileSuspended = await commit([anOrder('known', { amount: 60_000 }), anOrder('new')])
  deepEqual(kindsOf(whileSuspended), ['duplicate', 'rejected'])
})

test('a replay takes no room below the cap from the new orders of its batch', async (t) => {
  const { commit } = await aLedgerThatExpectsNewOrders(t)
  await commit([anOrder('known', { amount: 60_000 })])
  const outcomes = await commit([anOrder('known', { amount: 60_000 }), anOrder('new', { amount: 40_000 })])
  deepEqual(kindsOf(outcomes), ['duplicate', 'credited'])
})

test("a batch that races for one user's first award of a day adds to what the other has counted, beside a user who has a counter", async (t) => {
  const { commit, url, clock } = await aLedgerThatExpectsNewOrders(t)
  await commit([anOrder('first', { userEmail: 'lan@example.vn', amount: 5000 })])
  const other = await openSession(t, url)
  const day = vietnamDay(clock.now())
  await other.query(`BEGIN; INSERT INTO user_days VALUES ('t1', 'mai@example.vn', ${day}, 7)`)
  const users = ['lan@example.vn', 'mai@example.vn', 'an@example.vn']
  const batch = commit(users.map((userEmail) => anOrder(userEmail, { userEmail, amount: 5000 })))
  await eventually('the batch waits', async () => {
    const waiting = await runSql(url, 'SELECT 1 FROM pg_locks WHERE NOT granted')
    return waiting.length > 0
  })
  await other.query('COMMIT')
  deepEqual(kindsOf(await batch), ['credited', 'credited', 'credited'])
  const counters = await runSql(url, 'SELECT user_email, points::int FROM user_days ORDER BY points')
  deepEqual(
    counters.map(({ user_email, points }) => [user_email, points]),
    [
      ['an@example.vn', 5],
      ['lan@example.vn', 10],
      ['mai@example.vn', 12],
    ],
  )
})

function kindsOf(outcomes: Outcome[]): string[] {
  return outcomes.map(({ kind }) => kind)
}

function codesOf(outcomes: Outcome[]): string[] {
  return outcomes.map((outcome) => (outcome.kind === 'rejected' ? outcome.rejection.code : outcome.kind))
}

function idOf(outcome: Outcome): string {
  return outcome.kind === 'rejected' ? '' : outcome.epTransactionId
}

/** Of all connections that it opens. */
function countQueries(pool: Pool, name: string, onQuery: () => void): void {
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown
    const counted = (statement: { name?: string }, ...rest: unknown[]) => {
      if (statement.name === name) onQuery()
      return query(statement, ...rest)
    }
    Object.assign(client, { query: counted })
  })
}
