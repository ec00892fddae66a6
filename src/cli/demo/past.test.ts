import assert from 'node:assert/strict'
import { test } from 'node:test'
import { vietnamDay } from '../../rules/vietnam-day.ts'
import { type PastEvent, pastOf } from './past.ts'

for (const time of ['00:00:01', '00:20:00', '09:00:00', '16:30:00', '23:59:59']) {
  test(`at ${time} in Vietnam, the past of the demo has six days and the same orders as at any other time`, () => {
    const now = Date.parse(`2026-11-16T${time}+07:00`)
    const past = pastOf(now)
    const days = new Set(past.map(({ at }) => vietnamDay(at) - vietnamDay(now)))
    assert.deepEqual([...days], [-6, -5, -4, -3, -2, -1, 0])
    assert.deepEqual(ordersOf(past), ordersOf(pastOf(Date.parse('2026-01-03T12:00:00+07:00'))))
    assert.ok(past.every(({ at }) => at <= now))
    assert.ok(past.every(({ at }, index) => index === 0 || at >= past[index - 1]!.at))
  })
}

/** The first request of each order: replays may still be to come. */
function ordersOf(past: PastEvent[]): Set<string> {
  const awards = past.filter((event) => event.kind === 'request').map(({ award }) => award)
  const orders = awards.filter(({ orderId }) => !orderId.endsWith('-fee'))
  return new Set(orders.map(({ orderId, amount }) => `${orderId} ${amount}`))
}
