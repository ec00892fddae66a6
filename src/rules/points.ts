/** The fixed rate. It is stored on every entry, so that an auditor need not know this file. */
export const amountPerEp = 1000

/**
 * Whole EP for a raw amount, floored. A plain division will do: below 2^53 its rounding error is smaller than the
 * 1/1000 by which a quotient falls short of the next integer.
 */
export function pointsFor(amount: number): number {
  return Math.floor(amount / amountPerEp)
}
