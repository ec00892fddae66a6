import { connect, createServer, type Socket } from 'node:net'
import { listenBefore } from './listen-before.ts'
import { inMessages } from './postgres-messages.ts'
import type { Lifetime } from './service.ts'

/**
 * A pooler in transaction mode, like PgBouncer before 1.21: a client has a server connection for one transaction,
 * the one that was used last, and does not know the statements that others prepared there.
 */
export async function startTransactionPooler(test: Lifetime, databaseUrl: string): Promise<string> {
  const database = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  const idle: Server[] = []
  const listener = createServer((client) => {
    hold(client)
    // The client logs in through a server connection that all clients use afterwards.
    let server: Server | null = openServer()
    let unanswered = 1
    server.onMessage = answer
    client.on(
      'data',
      inMessages(
        (message) => {
          if (letterOf(message) === 'X') return void client.destroy()
          if (server === null) {
            server = idle.pop() ?? null
            if (server === null) return void client.destroy()
            server.onMessage = answer
          }
          if (['Q', 'S'].includes(letterOf(message))) unanswered++
          server.socket.write(message)
        },
        { greetingFirst: true },
      ),
    )
    client.on('close', () => server?.socket.destroy())

    function answer(message: Buffer): void {
      client.write(message)
      if (letterOf(message) !== 'Z') return
      unanswered--
      const isBetweenTransactions = String.fromCharCode(message[5]!) === 'I'
      if (unanswered > 0 || !isBetweenTransactions) return
      idle.push(server!)
      server = null
    }
  })

  function openServer(): Server {
    const socket = connect(Number(database.port), database.hostname)
    hold(socket)
    const server: Server = { socket, onMessage: () => {} }
    socket.on(
      'data',
      inMessages((message) => server.onMessage(message)),
    )
    return server
  }

  function hold(socket: Socket): void {
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  }

  return listenBefore(databaseUrl, test, { listener, sockets })
}

type Server = { socket: Socket; onMessage(message: Buffer): void }

const letterOf = (message: Buffer) => String.fromCharCode(message[0]!)
