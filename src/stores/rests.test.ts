import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRests } from './rests.ts'

function reader() {
  let now = 0
  const rested: number[] = []
  const rest = createRests({
    elapsed: () => now,
    async pause(ms) {
      rested.push(ms)
      now += ms
    },
  })
  return {
    rested,
    async work(ms: number) {
      now += ms
      await rest()
    },
  }
}

test('a reader rests as long as it has worked, and what it rested is no work', async () => {
  const { work, rested } = reader()
  await work(25)
  await work(40)
  assert.deepEqual(rested, [25, 40])
})

test('short pages are added up, and no rest is longer than 100 ms', async () => {
  const { work, rested } = reader()
  for (let page = 0; page < 4; page++) await work(6)
  await work(5_000)
  assert.deepEqual(rested, [24, 100])
})
