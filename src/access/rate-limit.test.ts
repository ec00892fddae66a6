import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createRateLimit, type RateLimit } from './rate-limit.ts'

function admitted(limit: RateLimit, count: number, requestsPerSecond: number, now: number): number {
  return Array.from({ length: count }, () => limit('acme', requestsPerSecond, now)).filter(
    (wait) => wait === 0,
  ).length
}

test("a second's worth may come at once, and no more", () => {
  const limit = createRateLimit()
  assert.equal(admitted(limit, 100, 10, 5_000), 10)
})

test('who has used it up waits, in whole seconds, and waiting that long is enough', () => {
  const limit = createRateLimit()
  admitted(limit, 10, 10, 0)
  const waitSeconds = limit('acme', 10, 0)
  assert.equal(waitSeconds, 1)
  assert.equal(limit('acme', 10, waitSeconds * 1000), 0)
})

test('room comes back with time, at the rate, and never more than a second of it', () => {
  const limit = createRateLimit()
  admitted(limit, 10, 10, 0)
  assert.equal(admitted(limit, 10, 10, 99), 0)
  assert.equal(admitted(limit, 10, 10, 100), 1)
  assert.equal(admitted(limit, 10, 10, 400), 3)
  assert.equal(admitted(limit, 100, 10, 1_000_000), 10)
})

test('each partner has its own room', () => {
  const limit = createRateLimit()
  admitted(limit, 10, 10, 0)
  assert.equal(limit('acme', 10, 0), 1)
  assert.equal(limit('globex', 10, 0), 0)
})

test('a rate that was lowered holds from the next request on', () => {
  const limit = createRateLimit()
  assert.equal(limit('acme', 100, 0), 0)
  assert.equal(admitted(limit, 100, 2, 0), 2)
})

test('a refused request uses nothing up: who keeps asking is let in as soon as who waits', () => {
  const limit = createRateLimit()
  admitted(limit, 1, 1, 0)
  for (let now = 0; now < 1000; now += 10) assert.equal(limit('acme', 1, now), 1)
  assert.equal(limit('acme', 1, 1000), 0)
})

test('whatever the pattern, no second ever admits more than its rate and the second saved up', () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 300 })
  fc.assert(
    fc.property(gaps, fc.integer({ min: 1, max: 20 }), (gaps, rate) => {
      const limit = createRateLimit()
      const times: number[] = []
      let now = 0
      for (const gap of gaps) {
        now += gap
        if (limit('acme', rate, now) === 0) times.push(now)
      }
      for (const start of times) {
        const within = times.filter((time) => time >= start && time < start + 1000).length
        assert.ok(within <= 2 * rate, `${within} within a second at ${rate}`)
      }
      const last = times.at(-1) ?? 0
      assert.ok(times.length <= rate + (last / 1000) * rate + 1e-6)
    }),
  )
})
