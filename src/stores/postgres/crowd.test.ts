import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from '../../../test/support/test-clock.ts'
import { createCrowd } from './crowd.ts'

test('batches that wait for locks much longer than they write are a crowd, and one that does not ends it', () => {
  const crowd = createCrowd(createTestClock())
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

test('a lock timeout where batches got through without waiting is somebody’s fault, not a crowd', () => {
  const clock = createTestClock()
  const crowd = createCrowd(clock)
  crowd.gotThrough({ lockMs: 3, writeMs: 5 })
  clock.advance(1000)
  equal(crowd.timedOut({ inTurn: false }), false)
  equal(crowd.isCrowded(), false)
})

test('a lock timeout of which nothing is known may be a crowd', () => {
  const clock = createTestClock()
  const crowd = createCrowd(clock)
  crowd.gotThrough({ lockMs: 3, writeMs: 5 })
  clock.advance(60_000)
  equal(crowd.timedOut({ inTurn: false }), true)
  equal(crowd.isCrowded(), true)
})

test('in its turn a batch may meet a lock once; the second time in a row somebody is to blame', () => {
  const crowd = createCrowd(createTestClock())
  crowd.gotThrough({ lockMs: 500, writeMs: 50 })
  equal(crowd.timedOut({ inTurn: true }), true)
  crowd.gotThrough({ lockMs: 500, writeMs: 50 })
  equal(crowd.timedOut({ inTurn: true }), true)
  equal(crowd.timedOut({ inTurn: true }), false)
})
