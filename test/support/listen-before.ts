import type { Server, Socket } from 'node:net'
import type { Lifetime } from './service.ts'

/** Listens until the test ends; returns the database's URL with this listener in place of the database. */
export async function listenBefore(
  databaseUrl: string,
  test: Lifetime,
  { listener, sockets }: { listener: Server; sockets: ReadonlySet<Socket> },
): Promise<string> {
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  test.after(() => {
    listener.close()
    for (const socket of sockets) socket.destroy()
  })
  const { port } = listener.address() as { port: number }
  return Object.assign(new URL(databaseUrl), { host: `127.0.0.1:${port}` }).href
}
