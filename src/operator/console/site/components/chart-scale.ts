/** At most this many intervals, so at most five ticks. */
const intervalsMax = 4

/** From zero to a round number at or above the largest value, in equal steps; from the bottom to the top. */
export function ticksUpTo(largest: number): number[] {
  const least = Math.max(largest, 1) / intervalsMax
  const power = 10 ** Math.floor(Math.log10(least))
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((one) => one >= least && isWhole(one))!
  const intervals = Math.max(1, Math.ceil(largest / step))
  return Array.from({ length: intervals + 1 }, (_, index) => index * step)
}

/** Counts and EP are whole, and so are the numbers at an axis. */
function isWhole(step: number): boolean {
  return step >= 1 && Number.isInteger(step)
}
