/** Beyond this, two samples do not come from one distribution: by chance that happens once in 100,000 comparisons. */
const tMax = 4.5

export type Comparison = {
  /** Of each of the two. */
  count: number
  /** Welch's t of the times at each crop; the last one is of all of them. */
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
  const at = (crop: number) => [moments(a, slowestAt(crop)), moments(b, slowestAt(crop))] as const
  const [left, right] = at(0.9)
  return { count: a.length, ts: crops.map((crop) => welchT(...at(crop))), means: [left.mean, right.mean] }
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

/** How far apart two means are, in standard errors of their difference. */
export function welchT(a: Moments, b: Moments): number {
  return (a.mean - b.mean) / Math.sqrt(a.variance / a.count + b.variance / b.count)
}

function concatenated(a: Float64Array, b: Float64Array): Float64Array {
  const all = new Float64Array(a.length + b.length)
  all.set(a)
  all.set(b, a.length)
  return all
}
