/** The fixed rate. Every entry stores it, so that an auditor does not depend on this constant. */
export const amountPerEp = 1000

/**
 * Whole EP for a raw amount, rounded down. Floating-point division is exact enough: below 2^53 its rounding error is
 * smaller than the 1/1000 by which a quotient can fall short of the next integer.
 */
export function pointsFor(amount: number): number {
  return Math.floor(amount / amountPerEp)
}
