import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { systemClock } from '../../clock.ts'
import type { Metric } from './metric.ts'
import { passedHeaders, unavailable } from '../api/thread/pass-on.ts'
import type { Metrics } from './metrics.ts'
import type { ScrapeAccess } from './scrape-access.ts'

/** Takes what this process counts, and gives what the other processes of this node do: none, if there are no workers. */
export type OtherProcesses = (own: Metric[]) => Promise<Metric[][]>

/** A scrape takes milliseconds, in which no award is served. Whoever comes sooner waits, and shares the next one. */
const everyMs = 100

type Scraped = { metrics: Metrics; others: OtherProcesses; access: ScrapeAccess }

/** GET /metrics. Scrapes that come together share one result. */
export function metricsRoute(app: FastifyInstance, { metrics, others, access }: Scraped): void {
  let running: Promise<string> | null = null
  let latestAt = Number.NEGATIVE_INFINITY

  async function nextScrape(): Promise<string> {
    const early = latestAt + everyMs - systemClock.elapsed()
    if (early > 0) await sleep(early)
    latestAt = systemClock.elapsed()
    return scrape()
  }

  async function scrape(): Promise<string> {
    const own = metrics.counted()
    const [slow, counted] = await Promise.all([metrics.readSlowly(), others(own)])
    // Loaded by the first scrape: a start need not wait for it.
    const { AggregatorRegistry } = (await import('prom-client')).default
    return AggregatorRegistry.aggregate([own, ...counted, slow]).metrics()
  }

  app.get('/metrics', async (request, reply) => {
    let refused: Awaited<ReturnType<ScrapeAccess>>
    try {
      refused = await access(request)
    } catch (error) {
      return unavailable(request, reply, error)
    }
    if (refused !== null)
      return reply
        .code(refused.status)
        .headers(passedHeaders(refused.headers))
        .send(Buffer.from(refused.body))
    running ??= nextScrape().finally(() => {
      running = null
    })
    return reply.header('content-type', 'text/plain; version=0.0.4; charset=utf-8').send(await running)
  })
}
