import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Histogram } from './histogram.ts'

test('each bound counts what is at most as large, and the count has what is larger, too', () => {
  const sizes = new Histogram([1, 10])
  for (const size of [0, 1, 1.5, 10, 11]) sizes.observe(size)
  assert.deepEqual(sizes.read(), {
    upTo: [
      { bound: 1, count: 2 },
      { bound: 10, count: 4 },
    ],
    count: 5,
    sum: 23.5,
  })
})

test('what one thread counts in shared memory another reads', () => {
  const memory = Histogram.memoryFor([1, 10])
  const [writer, reader] = [new Histogram([1, 10], memory), new Histogram([1, 10], memory)]
  writer.observe(5)
  assert.deepEqual(reader.read(), writer.read())
  assert.equal(reader.read().count, 1)
})
