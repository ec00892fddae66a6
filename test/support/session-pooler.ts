import { connect, createServer, type Socket } from 'node:net'
import { listenBefore } from './listen-before.ts'
import { inMessages, postgresMessage } from './postgres-messages.ts'
import type { Lifetime } from './service.ts'

/**
 * A pooler in session mode, like PgBouncer: a client keeps its place until it disconnects. Everybody can log in. What
 * happens to the first statement of a client that has no place is for the test to say.
 */
export async function startSessionPooler(
  test: Lifetime,
  databaseUrl: string,
  { places, withoutPlace }: { places: number; withoutPlace: 'waits' | 'is closed' | 'gets an error' },
): Promise<string> {
  const database = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  const placed = new Set<Socket>()
  const listener = createServer((client) => {
    const server = connect(Number(database.port), database.hostname)
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        placed.delete(client)
        client.destroy()
        server.destroy()
      })
    }
    server.pipe(client)
    let isLoggedIn = false
    client.on(
      'data',
      inMessages(
        (message) => {
          isLoggedIn ||= 'QP'.includes(String.fromCharCode(message[0]!))
          if (isLoggedIn && placed.size < places) placed.add(client)
          if (!isLoggedIn || placed.has(client)) server.write(message)
          else if (withoutPlace === 'is closed') client.resetAndDestroy()
          else if (withoutPlace === 'gets an error') client.end(waitTimeout)
        },
        { greetingFirst: true },
      ),
    )
  })
  return listenBefore(databaseUrl, test, { listener, sockets })
}

const waitTimeout = postgresMessage('E', 'SFATAL\0VFATAL\0C08P01\0Mquery_wait_timeout\0\0')
