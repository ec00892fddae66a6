import type { Entry } from './entry.ts'

/** What entries add up to. `remainder` is the raw amount that rounding down left without EP. */
export type EntrySums = { awards: number; points: number; rawAmount: number; remainder: number }

export const noEntries: Readonly<EntrySums> = Object.freeze({
  awards: 0,
  points: 0,
  rawAmount: 0,
  remainder: 0,
})

/**
 * The one rule of what an entry adds to a sum. Every entry is an award so far; a kind of entry that takes EP back will
 * count here. Sums that a database makes use the same rule: see stores/entry-sums.
 */
export function sumsOfEntry(entry: Pick<Entry, 'points' | 'rawAmount' | 'amountPerEp'>): EntrySums {
  const { points, rawAmount, amountPerEp } = entry
  return { awards: 1, points, rawAmount, remainder: rawAmount - points * amountPerEp }
}

export function addSums(a: EntrySums, b: EntrySums): EntrySums {
  return {
    awards: added(a.awards, b.awards),
    points: added(a.points, b.points),
    rawAmount: added(a.rawAmount, b.rawAmount),
    remainder: added(a.remainder, b.remainder),
  }
}

/** A rounded sum of money would be worse than none. */
export class InexactSum extends Error {}

function added(a: number, b: number): number {
  const sum = a + b
  if (Number.isSafeInteger(sum)) return sum
  throw new InexactSum(
    'a sum exceeds 2^53 - 1 and could not be exact: ask for one tenant, one partner, or a shorter period',
  )
}
