import { durationBoundsMs, Histogram, type HistogramReading } from '../histogram.ts'
import type { ResultCode } from './request-log.ts'

/** One kind of response of one route. */
type ResponseCount = { status: number; code: CountedCode; count: number }
/** A response without a code is one that succeeded. */
type CountedCode = ResultCode | 'OK'

export type RouteCounts = { route: string; responses: ResponseCount[]; durationMs: HistogramReading }

type Sent = { route: string | undefined; status: number; code: CountedCode | undefined; durationMs: number }

/** For paths that no route has: what a client wrote there never becomes a label. */
const noRoute = '(none)'

/**
 * Counts responses by route, status and code. All three come from our own lists, so that their number is bounded. Each
 * request costs two lookups and a few additions.
 */
export class RequestCounts {
  readonly #routes = new Map<string, Route>()

  count({ route = noRoute, status, code = 'OK', durationMs }: Sent): void {
    let counts = this.#routes.get(route)
    if (counts === undefined) {
      counts = { responses: [], durationMs: new Histogram(durationBoundsMs) }
      this.#routes.set(route, counts)
    }
    counts.durationMs.observe(durationMs)
    // A handful of kinds: the ordinary response comes first, because it was the first one.
    for (const response of counts.responses) {
      if (response.status === status && response.code === code) {
        response.count++
        return
      }
    }
    counts.responses.push({ status, code, count: 1 })
  }

  read(): RouteCounts[] {
    return [...this.#routes].map(([route, { responses, durationMs }]) => ({
      route,
      responses,
      durationMs: durationMs.read(),
    }))
  }
}

type Route = { responses: ResponseCount[]; durationMs: Histogram }
