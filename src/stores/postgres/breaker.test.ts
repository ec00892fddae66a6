import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { createTestClock } from '../../../test/support/test-clock.ts'
import { anAward } from '../../../test/support/awards.ts'
import type { LockWait } from '../../ledger/commit-batch.ts'
import { LockTimeout, Unavailable } from '../../ledger/errors.ts'
import type { AwardCommand } from '../../rules/entry.ts'
import type { Outcome } from '../../rules/decide-batch.ts'
import { createBreaker } from './breaker.ts'
import { Silent } from './commit.ts'
import { Unconfirmed } from './commit-confirmation.ts'
import { Unreachable } from './database.ts'

const credited = [{ kind: 'credited' }] as Outcome[]
const refused: Outcome[] = [{ kind: 'rejected', rejection: { code: 'PARTNER_SUSPENDED' } }]

/** A database whose next answers the test decides, and which remembers how often it was asked. */
function aBreaker() {
  const clock = createTestClock()
  const database = {
    asked: 0,
    next: async (): Promise<Outcome[]> => credited,
    somebodyWaits: false as boolean,
  }
  const breaker = createBreaker(async () => {
    if (database.somebodyWaits) throw new Unavailable('commits are waiting for the synchronous standby')
  }, clock)
  const commit = breaker.guard(async () => {
    database.asked++
    return database.next()
  })
  const fail = (error: Error) => {
    database.next = () => Promise.reject(error)
  }
  const work = (outcomes = credited) => {
    database.next = async () => outcomes
  }
  return {
    breaker,
    commit: (batch: AwardCommand[] = [], lockWait: LockWait = 'short') => commit(batch, lockWait),
    database,
    clock,
    fail,
    work,
  }
}

test('after an unconfirmed commit nothing reaches the database while a session waits for the standby', async () => {
  const { commit, database, fail, work } = aBreaker()
  fail(new Unconfirmed('unknown'))
  await assert.rejects(commit(), Unconfirmed)
  database.somebodyWaits = true
  for (let batch = 0; batch < 10; batch++) await assert.rejects(commit(), Unavailable)
  assert.equal(database.asked, 1)
  database.somebodyWaits = false
  work()
  assert.equal(await commit(), credited)
  assert.equal(await commit(), credited)
})

test('a confirmed commit counts as recent for longer where commits take long, but not for long', async () => {
  const { breaker, commit, clock, database } = aBreaker()
  const taking = (ms: number) => {
    database.next = async () => {
      clock.advance(ms)
      return credited
    }
  }
  taking(1_500)
  await commit()
  clock.advance(2_900)
  assert.equal(breaker.isConfirmedWithin(1_000), true, 'the next one may be on its way')
  clock.advance(200)
  assert.equal(breaker.isConfirmedWithin(1_000), false)
  taking(60_000)
  await commit()
  clock.advance(4_100)
  assert.equal(breaker.isConfirmedWithin(1_000), false)
  taking(10)
  await commit()
  clock.advance(1_100)
  assert.equal(breaker.isConfirmedWithin(1_000), false)
})

test('one probe at a time: the others are refused at once, until it is confirmed', async () => {
  const { commit, database, fail } = aBreaker()
  fail(new Unconfirmed('unknown'))
  await assert.rejects(commit(), Unconfirmed)
  const answer = Promise.withResolvers<Outcome[]>()
  database.next = () => answer.promise
  const probe = commit()
  await assert.rejects(commit(), /does not confirm commits/)
  answer.resolve(credited)
  assert.equal(await probe, credited)
  assert.equal(database.asked, 2)
  assert.equal(await commit(), credited)
})

test('a batch of nothing but refusals proves nothing: the breaker stays open', async () => {
  const { breaker, commit, database, fail, work } = aBreaker()
  fail(new Unconfirmed('unknown'))
  await assert.rejects(commit(), Unconfirmed)
  work(refused)
  assert.equal(await commit(), refused)
  assert.equal(breaker.isConfirmedWithin(1_000), false)
  database.somebodyWaits = true
  await assert.rejects(commit(), Unavailable)
})

test('a failure that is certain opens nothing', async () => {
  const { commit, database, fail } = aBreaker()
  fail(new Unavailable('the database cannot be reached'))
  for (let batch = 0; batch < 3; batch++) await assert.rejects(commit(), Unavailable)
  assert.equal(database.asked, 3)
})

test('a confirmed commit counts for a while, unless one has failed since', async () => {
  const { breaker, commit, clock, fail, work } = aBreaker()
  assert.equal(breaker.isConfirmedWithin(1_000), false)
  await commit()
  clock.advance(1_000)
  assert.equal(breaker.isConfirmedWithin(1_000), true)
  clock.advance(1)
  assert.equal(breaker.isConfirmedWithin(1_000), false)
  await commit()
  fail(new Unavailable('the database cannot be reached'))
  await assert.rejects(commit(), Unavailable)
  assert.equal(breaker.isConfirmedWithin(1_000), false)
  work()
  await commit()
  assert.equal(breaker.isConfirmedWithin(1_000), true)
})

test('after three awards in a row for which the disk was full the database cannot write, for a while, or until an award is credited', async () => {
  const { breaker, commit, clock, fail, work } = aBreaker()
  const isFull = async (times: number) => {
    const why = new pg.DatabaseError('could not extend file: No space left on device', 0, 'error')
    fail(new Unavailable('the database failed', { cause: Object.assign(why, { code: '53100' }) }))
    for (; times > 0; times--) await assert.rejects(commit(), Unavailable)
  }
  const cannotWrite = () => assert.throws(breaker.assertWrites, /cannot write them: could not extend file/)
  await isFull(2)
  breaker.assertWrites() // perhaps for some users only
  await isFull(1)
  breaker.confirmed(clock.elapsed()) // a commit without rows
  cannotWrite()
  clock.advance(9_999)
  cannotWrite()
  clock.advance(1)
  breaker.assertWrites()
  await isFull(1)
  work([{ kind: 'duplicate' }] as Outcome[]) // it writes nothing
  await commit()
  cannotWrite()
  work()
  await commit()
  breaker.assertWrites()
  await isFull(2)
  breaker.assertWrites()
})

const sqlError = (code: string) => Object.assign(new pg.DatabaseError('no', 0, 'error'), { code })

test('after three batches in a row that met a bug awards fail; a batch that is tried again in parts counts once', async () => {
  const { breaker, commit, fail, work } = aBreaker()
  const bug = () => fail(sqlError('23514'))
  const inParts = async () => {
    bug()
    const batch = [1, 2, 3, 4].map((number) => anAward({ orderId: `${number}` }))
    await assert.rejects(commit(batch))
    await assert.rejects(commit(batch.slice(0, 2), 'long'))
    for (const award of batch) await assert.rejects(commit([award], 'long'))
  }
  await inParts()
  await inParts()
  breaker.assertWrites()
  await inParts()
  assert.throws(breaker.assertWrites, /awards fail: an unexpected error: no/)
  work()
  await commit()
  breaker.assertWrites()
  // One partner's, while others are credited.
  for (let times = 0; times < 10; times++) {
    await inParts()
    work()
    await commit()
  }
  breaker.assertWrites()
})

test('awards fail for some seconds after connections were silent three times in a row, and not beyond', async () => {
  const { breaker, commit, clock, fail } = aBreaker()
  fail(new Unavailable('the award did not get through', { cause: new Silent('silent') }))
  for (let times = 0; times < 3; times++) await assert.rejects(commit())
  assert.throws(breaker.assertWrites, /awards fail: the award did not get through/)
  clock.advance(5_000)
  breaker.assertWrites()
})

for (const [name, error] of [
  ['a lock that was held', new LockTimeout('held')],
  ['a lock that was held for long', new Unavailable('failed', { cause: sqlError('55P03') })],
  ['deadlocks', new Unavailable('not through', { cause: sqlError('40P01') })],
  ['a database that cannot be reached', new Unreachable('refused', { cause: sqlError('53300') })],
  ['sessions that the database ended', new Unavailable('not through', { cause: sqlError('57P01') })],
  ['a connection that broke', new Unavailable('not through', { cause: new Error('ECONNRESET') })],
] as const) {
  test(`${name}: the probe tells, or it passes, so that nothing is remembered`, async () => {
    const { breaker, commit, fail } = aBreaker()
    fail(error)
    for (let times = 0; times < 5; times++) await assert.rejects(commit())
    breaker.assertWrites()
  })
}
