import type { TestContext } from 'node:test'

/** Numbers from 0 to 1, the same ones for the same seed. */
export type Random = () => number

/** For a test: the seed is printed, and SEED=… repeats the run. */
export function seededRandom(test: Pick<TestContext, 'diagnostic'>): Random {
  return randomFrom(seedOf(test))
}

export function seedOf(test: Pick<TestContext, 'diagnostic'>): number {
  const seed = Number(process.env.SEED ?? aSeed())
  test.diagnostic(`SEED=${seed}`)
  return seed
}

export function aSeed(): number {
  return Math.floor(Math.random() * 2 ** 31)
}

/** A Weyl sequence through a mixing function (mulberry32). */
export function randomFrom(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export function integerBelow(random: Random, bound: number): number {
  return Math.floor(random() * bound)
}

export function oneOf<T>(random: Random, choices: readonly T[]): T {
  return choices[integerBelow(random, choices.length)]!
}
