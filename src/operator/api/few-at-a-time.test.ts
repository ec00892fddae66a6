import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fewAtATime } from './few-at-a-time.ts'

test('only a few run at a time, in their order, and a result is used before the next one begins', async () => {
  const inTurn = fewAtATime(2)
  const seen: string[] = []
  let running = 0
  const all = [1, 2, 3, 4, 5].map(async (number) => {
    await inTurn(async () => {
      running++
      assert.ok(running <= 2)
      seen.push(`${number} begins`)
      await null
      running--
      if (number === 2) throw new Error('its place is free again')
    }).catch(() => {})
    process.nextTick(() => seen.push(`${number} is sent`))
  })
  await Promise.all(all)
  const begins = seen.filter((event) => event.endsWith('begins'))
  assert.deepEqual(
    begins,
    [1, 2, 3, 4, 5].map((number) => `${number} begins`),
  )
  assert.ok(seen.indexOf('1 is sent') < seen.indexOf('3 begins'), seen.join(', '))
})
