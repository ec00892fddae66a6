import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { isWithin, readTimeRange } from '../src/time-range.ts'

test('a day is the whole day in Vietnam, a time is what it says', () => {
  const cases: [from: string, to: string, expected: [string, string]][] = [
    ['2025-11-15', '2025-11-15', ['2025-11-14T17:00:00.000Z', '2025-11-15T17:00:00.000Z']],
    ['2024-02-28', '2024-02-29', ['2024-02-27T17:00:00.000Z', '2024-02-29T17:00:00.000Z']],
    [
      '2025-11-15T08:00+07:00',
      '2025-11-15T01:00:00.001Z',
      ['2025-11-15T01:00:00.000Z', '2025-11-15T01:00:00.001Z'],
    ],
  ]
  for (const [from, to, expected] of cases) {
    const range = readTimeRange({ from, to })
    deepEqual(
      [range.from, range.to].map((time) => new Date(time!).toISOString()),
      expected,
    )
  }
})

test('the start is in the range, the end is not', () => {
  const range = { from: 10, to: 20 }
  deepEqual(
    [9, 10, 19, 20].map((time) => isWithin(time, range)),
    [false, true, true, false],
  )
  equal(isWithin(5, { from: null, to: null }), true)
})
