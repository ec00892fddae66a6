import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { amountPerEp, pointsFor } from './points.ts'

test('the rate is 1000 raw units for one EP', () => {
  assert.equal(amountPerEp, 1000)
})

const worth: [amount: number, points: number][] = [
  [1, 0],
  [999, 0],
  [1000, 1],
  [1999, 1],
  [2000, 2],
  [10_000_999, 10_000],
  [9_007_199_254_739_999, 9_007_199_254_739],
  [9_007_199_254_740_991, 9_007_199_254_740],
]
for (const [amount, points] of worth) {
  test(`an amount of ${amount} is worth ${points} EP`, () => {
    assert.equal(pointsFor(amount), points)
  })
}

test('points are the amount over 1000, floored exactly, for every amount up to 2^53 - 1', () => {
  const justBelowAnEp = fc.maxSafeNat().map((amount) => amount - (amount % 1000) - 1)
  const amounts = fc.oneof(fc.maxSafeNat(), justBelowAnEp).filter((amount) => amount > 0)
  fc.assert(
    fc.property(amounts, (amount) => {
      assert.equal(BigInt(pointsFor(amount)), BigInt(amount) / 1000n)
    }),
  )
})
