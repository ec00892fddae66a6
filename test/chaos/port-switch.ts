import { connect, createServer, type Socket } from 'node:net'
import type { Lifetime } from '../support/service.ts'

/** One address for the server that is the primary at the moment, like a virtual IP or a pooler. */
type PortSwitch = {
  port: number
  /** Connections to the previous server are cut. */
  pointTo(port: number): void
}

export async function startPortSwitch(test: Lifetime, firstPort: number): Promise<PortSwitch> {
  const sockets = new Set<Socket>()
  let target = firstPort
  const listener = createServer((service) => {
    const server = connect(target, '127.0.0.1')
    for (const [socket, other] of [
      [service, server],
      [server, service],
    ] as const) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  test.after(() => {
    listener.close()
    cut()
  })
  return {
    port: (listener.address() as { port: number }).port,
    pointTo(port) {
      target = port
      cut()
    },
  }
}
