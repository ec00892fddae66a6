import type { Clock } from '../../clock.ts'
import { durationBoundsMs, Histogram, type HistogramReading } from '../../histogram.ts'

/** Often enough to meet what blocks the event loop, and seldom enough to cost nothing. */
const everyMs = 50

/** Measures how late a timer fires: as late as any request is served. */
export function watchLoopDelay(clock: Pick<Clock, 'elapsed'>): { read(): HistogramReading; end(): void } {
  const delaysMs = new Histogram(durationBoundsMs)
  let firedAt = clock.elapsed()
  const timer = setInterval(() => {
    const now = clock.elapsed()
    delaysMs.observe(Math.max(0, now - firedAt - everyMs))
    firedAt = now
  }, everyMs)
  timer.unref()
  return { read: () => delaysMs.read(), end: () => clearInterval(timer) }
}
