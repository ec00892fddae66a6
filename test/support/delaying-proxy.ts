import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Lifetime } from './service.ts'

export type DelayingProxyData = { host: string; port: number; delayMs: number }

/**
 * A long wire to PostgreSQL: every byte arrives half a round trip later, in order, and as many may be under way as
 * there are. In a thread of its own, so that nobody's work delays it further. Gives the address to connect to.
 */
export async function startDelayingProxy(
  test: Lifetime,
  databaseUrl: string,
  { rttMs }: { rttMs: number },
): Promise<string> {
  const { hostname, port } = new URL(databaseUrl)
  const data: DelayingProxyData = { host: hostname, port: Number(port), delayMs: rttMs / 2 }
  const thread = new Worker(new URL('./delaying-proxy-thread.ts', import.meta.url), { workerData: data })
  test.after(async () => void (await thread.terminate()))
  const [listening] = (await once(thread, 'message')) as [number]
  return Object.assign(new URL(databaseUrl), { host: `127.0.0.1:${listening}` }).href
}
