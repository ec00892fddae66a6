/** Beyond this, two samples do not come from one distribution: by chance that happens once in 100,000 comparisons. */
const tMax = 4.5

/**
 * Times in a row that come from the same few attempts: see measure.ts. Where an attempt is in memory makes all of its times a
 * little faster or slower. So they are not independent, and t would be several times too large if they counted one by one:
 * what counts is the mean of a block. Both kinds are in each block, so that what slows the machine down slows them both.
 */
export const blockTimes = 200

export type Comparison = {
  /** Of each of the two. */
  count: number
  /** t of the differences between the blocks, at each crop; the last one is of all times. */
  ts: number[]
  /** Mean times without the slowest tenth. */
  means: [number, number]
}

/**
 * A call is rarely interrupted, but then for so long that it would hide a small leak. So the slowest calls are left out,
 * of both samples above the same time, in several degrees (as dudect does); 1 leaves nothing out.
 */
const crops = [0.5, 0.9, 0.99, 1]

/** Do these two samples of times come from one distribution? */
export function compare(a: Float64Array, b: Float64Array): Comparison {
  const sorted = concatenated(a, b).sort()
  const slowestAt = (crop: number) => sorted[Math.ceil(sorted.length * crop) - 1]!
  const t = (crop: number) => pairedT(blockDifferences(a, b, slowestAt(crop)))
  const mean = (times: Float64Array) => moments(times, slowestAt(0.9)).mean
  return { count: a.length, ts: crops.map(t), means: [mean(a), mean(b)] }
}

export function isToldApart({ ts }: Comparison): boolean {
  return ts.some((t) => Math.abs(t) >= tMax)
}

type Moments = { count: number; mean: number; variance: number }

/** Of the times up to the slowest that counts. */
export function moments(times: Float64Array, slowest = Number.POSITIVE_INFINITY): Moments {
  let count = 0
  let sum = 0
  for (const time of times) {
    if (time > slowest) continue
    count++
    sum += time
  }
  const mean = sum / count
  let squares = 0
  for (const time of times) if (time <= slowest) squares += (time - mean) ** 2
  return { count, mean, variance: squares / (count - 1) }
}

/** Of the means of each block, without the times that do not count. A block of which none counts is left out. */
function blockDifferences(a: Float64Array, b: Float64Array, slowest: number): Float64Array {
  const differences: number[] = []
  for (let from = 0; from < a.length; from += blockTimes) {
    const [left, right] = [a, b].map((times) => moments(times.subarray(from, from + blockTimes), slowest))
    if (left!.count > 0 && right!.count > 0) differences.push(left!.mean - right!.mean)
  }
  return Float64Array.from(differences)
}

/** How far the mean of the differences is from zero, in its standard errors. */
export function pairedT(differences: Float64Array): number {
  const { count, mean, variance } = moments(differences)
  return mean / Math.sqrt(variance / count)
}

function concatenated(a: Float64Array, b: Float64Array): Float64Array {
  const all = new Float64Array(a.length + b.length)
  all.set(a)
  all.set(b, a.length)
  return all
}
