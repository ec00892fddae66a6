import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import type { DelayingProxyData } from './delaying-proxy.ts'

const { host, port, delayMs } = workerData as DelayingProxyData

/** Timers of the same length fire in the order in which they were set, so the bytes stay in order. */
function carry(from: Socket, to: Socket): void {
  from.setNoDelay(true)
  from.on('data', (chunk) => setTimeout(() => to.writable && to.write(chunk), delayMs))
  from.on('end', () => setTimeout(() => to.end(), delayMs))
  from.on('error', () => {})
  from.on('close', () => setTimeout(() => to.destroy(), delayMs))
}

const listener = createServer({ allowHalfOpen: true }, (client) => {
  const server = connect({ host, port, allowHalfOpen: true })
  carry(client, server)
  carry(server, client)
})
listener.listen(0, '127.0.0.1', () => parentPort!.postMessage((listener.address() as AddressInfo).port))
