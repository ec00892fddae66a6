import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../../../test/support/eventually.ts'
import { systemClock } from '../../../clock.ts'
import { createNodeReadings } from './node-readings.ts'

test('the counts of each minute are kept, for an hour, in their order', async (t) => {
  let count = 0
  const node = createNodeReadings({
    requests: () => [
      { route: '/v1/ep/webhook', responses: [], durationMs: { upTo: [], count: ++count, sum: 0 } },
    ],
    readings: {
      verifiedAt: async () => null,
      notSoundAt: async () => null,
      clockDifferenceMs: async () => null,
    } as unknown as Parameters<typeof createNodeReadings>[0]['readings'],
    ready: async () => [],
    clock: systemClock,
    systemClock,
    keepEveryMs: 1,
  })
  t.after(node.end)
  await eventually('more than an hour has passed', async () => count > 70)
  const { minutes } = await node.read()
  assert.equal(minutes.length, 61)
  assert.ok(minutes.every((minute, at) => at === 0 || minute.count > minutes[at - 1]!.count))
})
