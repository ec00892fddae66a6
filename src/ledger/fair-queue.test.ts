import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FairQueue } from './fair-queue.ts'
import type { Place } from '../shortcuts/waiting-line.ts'

function queueOf(...lines: [key: string, length: number][]): FairQueue<string> {
  const queue = new FairQueue<string>()
  for (const [key, length] of lines) for (let n = 1; n <= length; n++) queue.push(key, `${key}${n}`)
  return queue
}

test('an empty queue gives nothing', () => {
  const queue = queueOf()
  assert.equal(queue.size, 0)
  assert.deepEqual(queue.take(10), [])
})

test('alone in the queue, a line has the whole batch, first come first served', () => {
  const queue = queueOf(['a', 5])
  assert.deepEqual(queue.take(3), ['a1', 'a2', 'a3'])
  assert.equal(queue.size, 2)
  assert.deepEqual(queue.take(3), ['a4', 'a5'])
  assert.equal(queue.size, 0)
})

test('a batch is shared equally by the lines', () => {
  const queue = queueOf(['a', 100], ['b', 100])
  assert.deepEqual(new Set(queue.take(4)), new Set(['a1', 'a2', 'b1', 'b2']))
})

test('what one line does not need is shared by the others: the batch is filled', () => {
  const queue = queueOf(['a', 100], ['b', 1], ['c', 2])
  const taken = queue.take(10)
  assert.equal(taken.length, 10)
  assert.equal(taken.filter((item) => item.startsWith('b')).length, 1)
  assert.equal(taken.filter((item) => item.startsWith('c')).length, 2)
})

test('who comes behind a flood is still in the next batch', () => {
  const queue = queueOf(['flood', 10_000], ['b', 1])
  assert.equal(queue.take(512).includes('b1'), true)
})

test('with more lines than places, those left out come first the next time', () => {
  const queue = queueOf(['a', 9], ['b', 9], ['c', 9], ['d', 9], ['e', 9])
  assert.deepEqual(queue.take(2), ['a1', 'b1'])
  assert.deepEqual(queue.take(2), ['c1', 'd1'])
  assert.deepEqual(queue.take(2), ['e1', 'a2'])
})

test('a line that ran empty and came back stands at the end', () => {
  const queue = queueOf(['a', 1], ['b', 2])
  assert.deepEqual(queue.take(1), ['a1'])
  queue.push('a', 'a2')
  assert.deepEqual(queue.take(1), ['b1'])
})

const steps = fc.array(
  fc.oneof(
    fc.record({ push: fc.constantFrom('a', 'b', 'c', 'd'), times: fc.integer({ min: 1, max: 9 }) }),
    fc.record({ take: fc.integer({ min: 1, max: 12 }) }),
    fc.record({ remove: fc.nat() }),
    fc.record({ putBack: fc.constantFrom('a', 'b', 'c', 'd') }),
  ),
)

test('whatever comes and goes: nothing is lost, doubled or overtaken in its line, and no line is short of its share', () => {
  fc.assert(
    fc.property(steps, (steps) => {
      const queue = new FairQueue<{ key: string; n: number }>()
      const waiting = new Map<string, { key: string; n: number }[]>()
      const places = new Map<number, Place<{ key: string; n: number }>>()
      let n = 0
      for (const step of steps) {
        if ('remove' in step) {
          const all = [...waiting.values()].flat()
          if (all.length === 0) continue
          const item = all[step.remove % all.length]!
          queue.remove(item.key, places.get(item.n)!)
          waiting.set(
            item.key,
            waiting.get(item.key)!.filter((other) => other !== item),
          )
          assert.equal(queue.size, all.length - 1)
          continue
        }
        if ('putBack' in step) {
          const item = { key: step.putBack, n: n++ }
          places.set(item.n, queue.putBack(step.putBack, item))
          waiting.set(step.putBack, [item, ...(waiting.get(step.putBack) ?? [])])
          continue
        }
        if ('push' in step) {
          for (let time = 0; time < step.times; time++) {
            const item = { key: step.push, n: n++ }
            places.set(item.n, queue.push(step.push, item))
            waiting.set(step.push, [...(waiting.get(step.push) ?? []), item])
          }
          continue
        }
        const lines = [...waiting.values()].filter((line) => line.length > 0)
        const total = lines.flat().length
        const share = Math.floor(step.take / Math.max(1, lines.length))
        const taken = queue.take(step.take)
        assert.equal(taken.length, Math.min(step.take, total))
        for (const [key, line] of waiting) {
          const own = taken.filter((item) => item.key === key)
          assert.deepEqual(own, line.slice(0, own.length), 'in the order of arrival')
          assert.ok(own.length >= Math.min(share, line.length), 'at least its share')
          waiting.set(key, line.slice(own.length))
        }
        assert.equal(queue.size, total - taken.length)
      }
    }),
  )
})
