import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addSums, noEntries, sumsOfEntry } from './entry-sums.ts'

const award = { points: 5, rawAmount: 5999, amountPerEp: 1000 }

test('an award adds itself, its EP, its raw amount, and what rounding down left without EP', () => {
  assert.deepEqual(sumsOfEntry(award), { awards: 1, points: 5, rawAmount: 5999, remainder: 999 })
})

test('sums add up field by field, from none', () => {
  const two = addSums(sumsOfEntry(award), sumsOfEntry({ ...award, rawAmount: 5000 }))
  assert.deepEqual(addSums(noEntries, two), { awards: 2, points: 10, rawAmount: 10_999, remainder: 999 })
})

test('a sum that cannot be exact is refused, not rounded', () => {
  const large = { ...noEntries, rawAmount: Number.MAX_SAFE_INTEGER }
  assert.throws(
    () => addSums(large, sumsOfEntry(award)),
    /exceeds 2\^53 - 1 .*: ask for one tenant, one partner, or a shorter period/,
  )
})
