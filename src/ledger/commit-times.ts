import type { Clock } from '../clock.ts'
import { durationBoundsMs, Histogram, type HistogramReading } from '../histogram.ts'

/** What group commit knows of itself, for the metrics. */
export type CommitMeasures = {
  /** Awards that wait for a commit. */
  waiting: number
  /** Commits that run now. */
  running: number
  /** Awards per commit. */
  batchSizes: HistogramReading
  /** Durations of the commits, from handing a batch to the store until it responds. */
  commitMs: HistogramReading
}

const batchSizeBounds = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]

/** Twice per commit, not per award. */
export class CommitTimes {
  readonly #clock: Clock
  readonly #batchSizes = new Histogram(batchSizeBounds)
  readonly #durationsMs = new Histogram(durationBoundsMs)

  constructor(clock: Clock) {
    this.#clock = clock
  }

  start(): number {
    return this.#clock.elapsed()
  }

  end(startedAt: number, batchSize: number): void {
    if (batchSize === 0) return // the deadlines of all its awards had passed
    this.#batchSizes.observe(batchSize)
    this.#durationsMs.observe(this.#clock.elapsed() - startedAt)
  }

  read(): Pick<CommitMeasures, 'batchSizes' | 'commitMs'> {
    return { batchSizes: this.#batchSizes.read(), commitMs: this.#durationsMs.read() }
  }
}
