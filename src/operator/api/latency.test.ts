import assert from 'node:assert/strict'
import { test } from 'node:test'
import { latencyOf } from './latency.ts'

const minuteMs = 60_000
const counts = (fast: number, slow: number) => ({
  upTo: [
    { bound: 5, count: fast },
    { bound: 100, count: fast + slow },
  ],
  count: fast + slow,
})

function latencyAt(minute: number, awardMs: ReturnType<typeof counts>, kept: [number, number, number][]) {
  const minutes = kept.map(([at, fast, slow]) => ({ at: at * minuteMs, ...counts(fast, slow) }))
  const readings = {
    startedAt: 0,
    awardMs,
    minutes,
    verifiedAt: null,
    notSoundAt: null,
    clockDifferenceMs: null,
    warnings: [],
  }
  return latencyOf(readings, minute * minuteMs)
}

test('the latency is that of the last ten minutes, and at first that since the start', () => {
  assert.equal(latencyAt(1, counts(0, 0), []).latest, null)
  assert.deepEqual(latencyAt(2, counts(100, 0), [[1, 0, 0]]).latest, {
    since: '1970-01-01T00:00:00.000Z',
    requests: 100,
    p50Ms: 5,
    p99Ms: 5,
  })
  const kept: [number, number, number][] = [
    [2, 100, 0],
    [4, 100, 0],
    [12, 100, 60],
  ]
  const later = latencyAt(14, counts(100, 100), kept).latest
  assert.deepEqual([later?.requests, later?.p50Ms], [100, 100], 'the fast ones are more than ten minutes old')
})

test('each minute of the last hour has its own latency; one without requests or a late timer has none', () => {
  const { hour } = latencyAt(65, counts(40, 11), [
    [1, 10, 0],
    [10, 10, 0],
    [11, 30, 0],
    [12, 30, 0],
    [13, 30, 10],
    [20, 39, 11],
    [21, 40, 11],
  ])
  assert.equal(hour.since, '1970-01-01T00:10:00.000Z')
  assert.deepEqual(
    hour.minutes.map(({ at, requests, p50Ms, p99Ms }) => [at.slice(14, 16), requests, p50Ms, p99Ms]),
    [
      ['10', 20, 5, 5],
      ['12', 10, 100, 100],
      ['20', 1, 5, 5],
    ],
  )
})
