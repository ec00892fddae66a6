import { durationBoundsMs, Histogram } from '../../histogram.ts'
import type { LogMeasures } from '../../ledger/measures.ts'

/** Memory that the writer's thread writes and the main thread reads, also while the writer waits for the disk. */
export type LogMemory = { pages: SharedArrayBuffer; copies: SharedArrayBuffer; startsOver: SharedArrayBuffer }

export function newLogMemory(): LogMemory {
  return {
    pages: new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT),
    copies: Histogram.memoryFor(durationBoundsMs),
    startsOver: Histogram.memoryFor(durationBoundsMs),
  }
}

/** A page in the log has a header of its own. */
const bytesPerPage = 4_096 + 24

/** The length of the log, and how long it took to shorten it. */
export class LogCounts {
  readonly copiesMs: Histogram
  readonly startsOverMs: Histogram
  readonly #pages: Float64Array

  constructor({ pages, copies, startsOver }: LogMemory) {
    this.#pages = new Float64Array(pages)
    this.copiesMs = new Histogram(durationBoundsMs, copies)
    this.startsOverMs = new Histogram(durationBoundsMs, startsOver)
  }

  hasPages(pages: number): void {
    this.#pages[0] = pages
  }

  read({ limitPages }: { limitPages: number }): LogMeasures {
    return {
      bytes: this.#pages[0]! * bytesPerPage,
      limitBytes: limitPages * bytesPerPage,
      copyMs: this.copiesMs.read(),
      startOverMs: this.startsOverMs.read(),
    }
  }
}
