/**
 * Counts observations by size. It belongs to the object that observes, and costs that object a few nanoseconds; the
 * metrics read it when they are scraped.
 */
export class Histogram {
  readonly bounds: readonly number[]
  /** A count for each bound, one for everything above the last, and the sum. Shared memory, where a thread counts. */
  readonly #cells: Float64Array

  constructor(bounds: readonly number[], memory?: SharedArrayBuffer) {
    this.bounds = bounds
    this.#cells =
      memory === undefined ? new Float64Array(cellsOf(bounds)) : new Float64Array(memory, 0, cellsOf(bounds))
  }

  /** Memory in which one thread counts and others read. */
  static memoryFor(bounds: readonly number[]): SharedArrayBuffer {
    return new SharedArrayBuffer(cellsOf(bounds) * Float64Array.BYTES_PER_ELEMENT)
  }

  observe(value: number): void {
    const { bounds } = this
    let at = 0
    while (at < bounds.length && value > bounds[at]!) at++
    this.#cells[at]!++
    this.#cells[bounds.length + 1]! += value
  }

  /** How many observations were at most as large as each bound, how many there were, and their sum. */
  read(): HistogramReading {
    let count = 0
    const upTo = this.bounds.map((bound, at) => {
      count += this.#cells[at]!
      return { bound, count }
    })
    return {
      upTo,
      count: count + this.#cells[this.bounds.length]!,
      sum: this.#cells[this.bounds.length + 1]!,
    }
  }
}

export type HistogramReading = { upTo: { bound: number; count: number }[]; count: number; sum: number }

function cellsOf(bounds: readonly number[]): number {
  return bounds.length + 2
}

/** Bounds for durations, from half a millisecond to beyond every deadline. */
export const durationBoundsMs = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000]
