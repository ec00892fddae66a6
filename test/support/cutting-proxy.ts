import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import type { Lifetime } from './service.ts'

/** A proxy to PostgreSQL that closes every connection on which nothing has passed for a while, as many do. */
export async function startCuttingProxy(
  test: Lifetime,
  databaseUrl: string,
  { silentMaxMs }: { silentMaxMs: number },
): Promise<{ url: string; cuts(): number }> {
  const { hostname, port } = new URL(databaseUrl)
  let cuts = 0
  const listener = createServer((client) => {
    const server = connect({ host: hostname, port: Number(port) })
    const end = () => {
      clearTimeout(timer)
      client.destroy()
      server.destroy()
    }
    const timer = setTimeout(() => {
      cuts++
      end()
    }, silentMaxMs)
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.setNoDelay(true)
      from.on('data', (chunk) => {
        timer.refresh()
        to.write(chunk)
      })
      from.on('error', end)
      from.on('close', end)
    }
  })
  await once(listener.listen(0, '127.0.0.1'), 'listening')
  test.after(() => void listener.close())
  const { port: listening } = listener.address() as AddressInfo
  return {
    url: Object.assign(new URL(databaseUrl), { host: `127.0.0.1:${listening}` }).href,
    cuts: () => cuts,
  }
}
