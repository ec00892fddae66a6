import type { FastifyInstance } from 'fastify'
import type { Metric } from './metric.ts'
import type { Metrics } from './metrics.ts'

/** Takes what this process counts, and gives what the other processes of this node do: none, if there are no workers. */
export type OtherProcesses = (own: Metric[]) => Promise<Metric[][]>

/** GET /metrics. Scrapes that come together share one result. */
export function metricsRoute(app: FastifyInstance, metrics: Metrics, others: OtherProcesses): void {
  let running: Promise<string> | null = null

  async function scrape(): Promise<string> {
    const own = metrics.counted()
    const [slow, counted] = await Promise.all([metrics.readSlowly(), others(own)])
    // Loaded by the first scrape: a start need not wait for it.
    const { AggregatorRegistry } = (await import('prom-client')).default
    return AggregatorRegistry.aggregate([own, ...counted, slow]).metrics()
  }

  app.get('/metrics', async (_, reply) => {
    running ??= scrape().finally(() => {
      running = null
    })
    return reply.header('content-type', 'text/plain; version=0.0.4; charset=utf-8').send(await running)
  })
}
