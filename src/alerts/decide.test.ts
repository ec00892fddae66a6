import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Alert, OpenAlert } from './alert.ts'
import { decideAlerts } from './decide.ts'
import type { Seen } from './rules.ts'

const hourMs = 3_600_000
const nothing: Seen = { now: 0, day: 20_773, usage: [], limits: [], partners: [], refusing: [], keys: [] }
const cap = { partnerId: 'acme', tenantId: 't1', limit: 1_000 }
const full: Seen = { ...nothing, limits: [cap], usage: [{ ...cap, used: 1_000 }] }
const slow: Seen = { ...nothing, keys: [{ partnerId: 'acme', keyId: 'key_1', aheadMs: -61_000 }] }

const opened = (alerts: Alert[]): OpenAlert[] => alerts.map((alert) => ({ ...alert, heldAt: 0 }))

function kindsIn(seen: Seen, open: OpenAlert[]) {
  const { begin, holds, over } = decideAlerts(seen, open)
  const kinds = (alerts: Alert[]) => alerts.map(({ kind }) => kind)
  return { begin: kinds(begin), holds: kinds(holds), over: kinds(over) }
}

test('an alert begins once, however often the same is seen', () => {
  assert.deepEqual(kindsIn(slow, []), { begin: ['clockOff'], holds: [], over: [] })
  const open = opened(decideAlerts(slow, []).begin)
  assert.deepEqual(kindsIn(slow, open), { begin: [], holds: ['clockOff'], over: [] })
})

test('an alert is over when its rule has not held for an hour', () => {
  const open = opened(decideAlerts(slow, []).begin)
  assert.deepEqual(kindsIn({ ...nothing, now: hourMs }, open), { begin: [], holds: [], over: [] })
  assert.deepEqual(kindsIn({ ...nothing, now: hourMs + 1 }, open), {
    begin: [],
    holds: [],
    over: ['clockOff'],
  })
  assert.deepEqual(kindsIn({ ...slow, now: hourMs + 1 }, open), { begin: [], holds: ['clockOff'], over: [] })
})

test('the alert of a cap lasts until midnight, and then it is over', () => {
  const open = opened(decideAlerts(full, []).begin)
  assert.deepEqual(kindsIn(full, open), { begin: [], holds: ['capNear', 'capReached'], over: [] })
  const evening = { ...nothing, limits: [cap], now: 12 * hourMs }
  assert.deepEqual(kindsIn(evening, open), { begin: [], holds: [], over: [] })
  const midnight = { ...nothing, limits: [cap], now: 1_000, day: nothing.day + 1 }
  assert.deepEqual(kindsIn(midnight, open), { begin: [], holds: [], over: ['capNear', 'capReached'] })
})

test('the alert of a cap is over as soon as the cap has another value, or is gone', () => {
  const open = opened(decideAlerts(full, []).begin)
  const raised = { ...nothing, limits: [{ ...cap, limit: 10_000 }] }
  assert.deepEqual(kindsIn(raised, open), { begin: [], holds: [], over: ['capNear', 'capReached'] })
  assert.deepEqual(kindsIn(nothing, open), { begin: [], holds: [], over: ['capNear', 'capReached'] })
  const lowered = { ...full, limits: [{ ...cap, limit: 900 }], usage: [{ ...cap, limit: 900, used: 1_000 }] }
  assert.deepEqual(kindsIn(lowered, open), {
    begin: ['capNear', 'capReached'],
    holds: [],
    over: ['capNear', 'capReached'],
  })
})
