import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { replayAge, replayAges } from './replay-age.ts'

const minute = 60_000
const ages: [number, string][] = [
  [-5, 'within 1 s'],
  [0, 'within 1 s'],
  [1_000, 'within 1 s'],
  [1_001, 'within 10 s'],
  [minute, 'within 1 min'],
  [10 * minute, 'within 10 min'],
  [60 * minute, 'within 1 h'],
  [24 * 60 * minute, 'within 1 day'],
  [24 * 60 * minute + 1, 'later'],
]
for (const [ms, name] of ages) {
  test(`a replay ${ms} ms after the original came ${name}`, () => equal(replayAge(ms), name))
}

test('all ages are listed in their order', () => {
  deepEqual([...new Set(ages.map(([, name]) => name))], replayAges)
})
