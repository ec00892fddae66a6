import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLatency } from './latency.ts'

const minuteMs = 60_000
const counted = (fast: number, slow: number) => ({
  startedAt: 0,
  awardMs: {
    upTo: [
      { bound: 5, count: fast },
      { bound: 100, count: fast + slow },
    ],
    count: fast + slow,
  },
})

test('the latency is that of the last ten minutes, and at first that since the start', () => {
  const latency = createLatency()
  assert.equal(latency(counted(0, 0), minuteMs), null)
  assert.deepEqual(latency(counted(100, 0), 2 * minuteMs), {
    since: '1970-01-01T00:00:00.000Z',
    requests: 100,
    p50Ms: 5,
    p99Ms: 5,
  })
  const later = latency(counted(100, 100), 13 * minuteMs)
  assert.deepEqual([later?.requests, later?.p50Ms], [100, 100], 'the fast ones are more than ten minutes old')
})
