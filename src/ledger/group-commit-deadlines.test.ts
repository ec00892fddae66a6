import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { aGroupCommit } from '../../test/support/held-commits.ts'
import { Unavailable } from './errors.ts'

test('a waiting award past its deadline is Unavailable and never committed', async (t) => {
  const { send, commits, pass, unavailable, credited, durable } = aGroupCommit(t, { deadlineMs: 1000 })
  await send(['A1'])
  await pass(500)
  await send(['A2'])
  await send(['A3'])
  await pass(999)
  assert.deepEqual(unavailable(), ['A1'])
  await pass(1)
  assert.deepEqual(unavailable(), ['A1', 'A2', 'A3'])
  await commits[0]!.succeed()
  await send(['A4'])
  assert.deepEqual(commits.at(-1)!.orders, ['A4'])
  await commits.at(-1)!.succeed()
  assert.deepEqual(credited(), ['A4'])
  assert.deepEqual(durable, ['A1', 'A4'])
})

test('a committing award past its deadline is Unavailable, once, although its commit may still succeed', async (t) => {
  const { send, commits, pass, unavailable, credited, durable } = aGroupCommit(t, { deadlineMs: 1000 })
  await send(['A1'])
  await pass(1000)
  assert.deepEqual(unavailable(), ['A1'])
  await commits[0]!.succeed()
  assert.deepEqual(unavailable(), ['A1'])
  assert.deepEqual(credited(), [])
  assert.deepEqual(durable, ['A1'])
})

test('deadlines are each award’s own: an award that came later times out later', async (t) => {
  const { send, pass, unavailable } = aGroupCommit(t, { deadlineMs: 1000 })
  await send(['A1'])
  await pass(400)
  await send(['A2'])
  await pass(400)
  await send(['A3'])
  await pass(200)
  assert.deepEqual(unavailable(), ['A1'])
  await pass(400)
  assert.deepEqual(unavailable(), ['A1', 'A2'])
  await pass(400)
  assert.deepEqual(unavailable(), ['A1', 'A2', 'A3'])
})

test('a deadline is watched also when an earlier award got its response long ago', async (t) => {
  const { send, commits, pass, unavailable } = aGroupCommit(t, { deadlineMs: 1000 })
  await send(['A1'])
  await commits[0]!.succeed()
  await pass(900)
  await send(['A2'])
  await pass(999)
  assert.deepEqual(unavailable(), [])
  await pass(1)
  assert.deepEqual(unavailable(), ['A2'])
})

test('an overdue award is not committed even if its timer is late', async (t) => {
  const { send, commits, clock, unavailable, durable } = aGroupCommit(t, { deadlineMs: 1000 })
  await send(['A1'])
  await send(['A2'])
  clock.advance(1000) // the clock, but no timer: the event loop was busy
  await commits[0]!.succeed()
  assert.deepEqual(unavailable(), ['A2'])
  assert.equal(commits.length, 1)
  assert.deepEqual(durable, ['A1'])
})

test('an award whose deadline passes while others are tried alone is not tried', async (t) => {
  const { send, commits, pass, unavailable, durable } = aGroupCommit(t, { deadlineMs: 1000 })
  await send(['A1', 'A2'])
  await commits[0]!.fail(new TypeError('a bug'))
  await pass(1000)
  await commits[1]!.succeed()
  assert.deepEqual(unavailable(), ['A1', 'A2'])
  assert.equal(commits.length, 2)
  assert.deepEqual(durable, ['A1'])
})

test('a jump of the wall clock neither expires an award nor extends a deadline', async (t) => {
  const { send, commits, clock, pass, answers, unavailable, credited } = aGroupCommit(t, { deadlineMs: 1000 })
  await send(['A1'])
  await send(['A2'])
  clock.set(clock.now() + 86_400_000)
  await send(['A3'])
  await pass(0)
  assert.equal(answers.size, 0)
  clock.set(clock.now() - 2 * 86_400_000)
  await commits[0]!.succeed()
  await commits[1]!.succeed()
  assert.deepEqual(credited(), ['A1', 'A2', 'A3'])
  await send(['A4'])
  clock.set(clock.now() - 86_400_000)
  await pass(1000)
  assert.deepEqual(unavailable(), ['A4'])
})

test('awards that expired in the queue leave their places to new ones', async (t) => {
  const { send, commits, pass, credited } = aGroupCommit(t, {
    queueMax: 2,
    partnerQueueMax: 2,
    deadlineMs: 1000,
  })
  await send(['A1'])
  await send(['A2', 'A3'])
  await pass(1000)
  await commits[0]!.succeed()
  await send(['A4', 'A5'])
  await commits.at(-1)!.succeed()
  assert.deepEqual(credited(), ['A4', 'A5'])
})

test('close resolves at once when there is nothing to do, and again when asked again', async (t) => {
  const { ledger } = aGroupCommit(t)
  await ledger.close()
  await ledger.close()
})

test('close lets accepted awards finish, refuses new ones, and resolves when all is done', async (t) => {
  const { ledger, send, commits, credited, unavailable } = aGroupCommit(t)
  await send(['A1'])
  await send(['A2'])
  let closes = 0
  const closing = [ledger.close(), ledger.close()].map((close) => close.then(() => closes++))
  await send(['A3'])
  assert.deepEqual(unavailable(), ['A3'])
  await commits[0]!.succeed()
  assert.deepEqual(credited(), ['A1'])
  assert.equal(closes, 0)
  await commits[1]!.succeed()
  await Promise.all(closing)
  assert.deepEqual(credited(), ['A1', 'A2'])
  assert.equal(commits.length, 2)
})

test('close waits for every lane', async (t) => {
  const { ledger, send, commits } = aGroupCommit(t, { commitsMax: 2 })
  await send(['A1'], { tenantId: 't1' })
  await send(['B1'], { tenantId: 't2' })
  await send(['C1'], { tenantId: 't3' })
  let closed = false
  const closing = ledger.close().then(() => {
    closed = true
  })
  for (const index of [0, 1, 2]) {
    assert.equal(closed, false)
    await commits[index]!.succeed()
  }
  await closing
})

test('close waits for a commit even after the deadline of its awards', async (t) => {
  const { ledger, send, commits, pass } = aGroupCommit(t, { deadlineMs: 1000 })
  await send(['A1'])
  await send(['A2'])
  await pass(1000)
  let closed = false
  const closing = ledger.close().then(() => {
    closed = true
  })
  await nextTurn()
  assert.equal(closed, false)
  await commits[0]!.succeed()
  await closing
  assert.equal(commits.length, 1)
})

test('close resolves also when the last commit fails', async (t) => {
  const { ledger, send, commits, unavailable } = aGroupCommit(t)
  await send(['A1'])
  const closing = ledger.close()
  await commits[0]!.fail(new Unavailable('away'))
  await closing
  assert.deepEqual(unavailable(), ['A1'])
})
