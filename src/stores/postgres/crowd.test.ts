import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from '../../../test/support/test-clock.ts'
import { createCrowd } from './crowd.ts'

test('batches that wait for locks much longer than they write are a crowd, and one that does not ends it', () => {
  const crowd = createCrowd(createTestClock(), async () => 0)
  equal(crowd.isCrowded(), false)
  crowd.gotThrough({ lockMs: 90, writeMs: 5 })
  equal(crowd.isCrowded(), false, 'a short line does not matter')
  crowd.gotThrough({ lockMs: 250, writeMs: 100 })
  equal(crowd.isCrowded(), false, 'everything is slow')
  crowd.gotThrough({ lockMs: 500, writeMs: 100 })
  equal(crowd.isCrowded(), true)
  crowd.gotThrough({ lockMs: 50, writeMs: 60 })
  equal(crowd.isCrowded(), false)
})

test('a lock timeout where batches got through without waiting is caused by a single lock, not by a crowd', async () => {
  const clock = createTestClock()
  const crowd = createCrowd(clock, async () => 100)
  crowd.gotThrough({ lockMs: 3, writeMs: 5 })
  clock.advance(1000)
  equal(await crowd.timedOut({ inTurn: false }), false)
  equal(crowd.isCrowded(), false)
})

test('a lock timeout after an idle time is a crowd only where many sessions wait', async () => {
  const clock = createTestClock()
  let waiting = 3
  const crowd = createCrowd(clock, async () => waiting)
  crowd.gotThrough({ lockMs: 3, writeMs: 5 })
  clock.advance(60_000)
  equal(await crowd.timedOut({ inTurn: false }), false)
  equal(crowd.isCrowded(), false)
  waiting = 30
  clock.advance(60_000)
  equal(await crowd.timedOut({ inTurn: false }), true)
  equal(crowd.isCrowded(), true)
})

test('where the database does not say who waits, a lock timeout is not taken for a crowd', async () => {
  const crowd = createCrowd(createTestClock(), () => Promise.reject(new Error('no connection')))
  equal(await crowd.timedOut({ inTurn: false }), false)
})

test('in its turn a batch may meet a lock once; the second time in a row a single lock is the cause', async () => {
  const crowd = createCrowd(createTestClock(), async () => 0)
  crowd.gotThrough({ lockMs: 500, writeMs: 50 })
  equal(await crowd.timedOut({ inTurn: true }), true)
  crowd.gotThrough({ lockMs: 500, writeMs: 50 })
  equal(await crowd.timedOut({ inTurn: true }), true)
  equal(await crowd.timedOut({ inTurn: true }), false)
})
