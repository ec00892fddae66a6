/** The fixed rate. It is stored on every entry, so that an auditor need not know this file. */
export const amountPerEp = 1000

/**
 * Whole EP for a raw amount, floored. The remainder is taken off before dividing: near 2^53 the quotient of
 * a plain division can round up to the next integer.
 */
export function pointsFor(amount: number): number {
  return (amount - (amount % amountPerEp)) / amountPerEp
}
