import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { together } from './together.ts'

test('what arrives in a turn is worked off in its order, when all of it has arrived', async () => {
  const seen: string[] = []
  const work = together((name: string) => seen.push(`work ${name}`))
  for (const name of ['a', 'b']) {
    work(name)
    seen.push(`came ${name}`)
  }
  await nextTurn()
  assert.deepEqual(seen, ['came a', 'came b', 'work a', 'work b'])
})

test('what arrives while others are worked off waits for the next turn, and is not lost', async () => {
  const seen: number[] = []
  const work = together((left: number) => {
    seen.push(left)
    if (left > 0) work(left - 1)
  })
  work(2)
  await nextTurn()
  assert.deepEqual(seen, [2])
  await nextTurn()
  await nextTurn()
  assert.deepEqual(seen, [2, 1, 0])
})

test('of many that arrive at once, the first are through before the others begin, and all keep their order', async () => {
  const seen: number[] = []
  const work = together((number: number) => seen.push(number))
  const all = Array.from({ length: 100 }, (_, index) => index)
  for (const number of all) work(number)
  await nextTurn()
  assert.deepEqual(seen, all.slice(0, 32))
  for (let turn = 0; turn < 4; turn++) await nextTurn()
  assert.deepEqual(seen, all)
})
