import { connect, createServer, type Socket } from 'node:net'
import { listenBefore } from './listen-before.ts'
import { inMessages } from './postgres-messages.ts'
import type { Lifetime } from './service.ts'

/**
 * A pooler in transaction mode: a client has a server connection for one transaction, the one that was used last. Like
 * PgBouncer before 1.21, it does not know the statements that others prepared there; with `carriesStatements`, like a
 * newer one, it prepares a client's statements wherever they are needed.
 */
export async function startTransactionPooler(
  test: Lifetime,
  databaseUrl: string,
  { carriesStatements = false } = {},
): Promise<string> {
  let clients = 0
  const database = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  const idle: Server[] = []
  const listener = createServer((client) => {
    hold(client)
    // The client logs in through a server connection that all clients use afterwards.
    let server: Server | null = openServer()
    let unanswered = 1
    server.onMessage = answer
    const statements = createStatements(`client ${++clients}: `)
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
          if (isLastOfItsAnswer(message)) unanswered++
          if (carriesStatements) statements.send(server, message)
          else server.socket.write(message)
        },
        { greetingFirst: true },
      ),
    )
    client.on('close', () => server?.socket.destroy())

    function answer(message: Buffer): void {
      if (carriesStatements && isForPooler(server!, message)) return
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
    const server: Server = { socket, prepared: new Set(), preparing: [], onMessage: () => {} }
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

type Server = {
  socket: Socket
  prepared: Set<string>
  /** Statements whose preparation PostgreSQL has not answered yet, in the order of its answers. Null: an answer ends. */
  preparing: ({ name: string; isForPooler: boolean } | null)[]
  onMessage(message: Buffer): void
}

/** The named statements of one client. `prefix` keeps their names apart from those of other clients. */
function createStatements(prefix: string) {
  const texts = new Map<string, Buffer>()

  function send(server: Server, message: Buffer): void {
    if (letterOf(message) === 'P') {
      const [name, text] = splitName(message.subarray(5))
      texts.set(name, text)
      prepare(server, name, false)
      return
    }
    if (isLastOfItsAnswer(message)) server.preparing.push(null)
    if (letterOf(message) !== 'B') return void server.socket.write(message)
    const [portal, rest] = splitName(message.subarray(5))
    const [name, values] = splitName(rest)
    if (name !== '' && !server.prepared.has(prefix + name)) prepare(server, name, true)
    server.socket.write(messageOf('B', `${portal}\0${named(name)}\0`, values))
  }

  function prepare(server: Server, name: string, isForPooler: boolean): void {
    server.prepared.add(named(name))
    server.preparing.push({ name: named(name), isForPooler })
    server.socket.write(messageOf('P', `${named(name)}\0`, texts.get(name)!))
  }

  const named = (name: string) => (name === '' ? '' : prefix + name)

  return { send }
}

/** Whether the client did not ask for what this message answers. */
function isForPooler({ prepared, preparing }: Server, message: Buffer): boolean {
  if (letterOf(message) === '1') return preparing.shift()!.isForPooler
  if (letterOf(message) !== 'Z') return false
  // What is still in preparation at the end of an answer has failed.
  for (const { name } of preparing.splice(0, preparing.indexOf(null) + 1).filter((one) => one !== null))
    prepared.delete(name)
  return false
}

/** PostgreSQL answers these with a Z at the end. */
const isLastOfItsAnswer = (message: Buffer) => ['Q', 'S'].includes(letterOf(message))

const letterOf = (message: Buffer) => String.fromCharCode(message[0]!)

function splitName(text: Buffer): [string, Buffer] {
  const end = text.indexOf(0)
  return [text.toString('utf8', 0, end), text.subarray(end + 1)]
}

function messageOf(letter: string, names: string, rest: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(4 + Buffer.byteLength(names) + rest.length)
  return Buffer.concat([Buffer.from(letter), length, Buffer.from(names), rest])
}
