import type { TestContext } from 'node:test'

/** Numbers from 0 to 1 that come again with the same seed; the seed is printed, and SEED=… brings it back. */
export function seededRandom(test: Pick<TestContext, 'diagnostic'>): () => number {
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
  test.diagnostic(`SEED=${seed}`)
  let state = seed
  return () => {
    // A Weyl sequence through a mixing function (mulberry32).
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
