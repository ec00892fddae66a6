import { connect, createServer, type Socket } from 'node:net'
import { inMessages } from './postgres-messages.ts'
import type { Lifetime } from './service.ts'

/** What happens to a statement on its way to the server, and to its connection. */
export type Fault =
  /** The server never sees it. */
  | 'is lost'
  /** The server sees its first bytes. */
  | 'is half lost'
  /** The server receives it, but its reply goes nowhere. */
  | 'arrives, and the connection is gone'
  /** The server has replied; the reply does not arrive. */
  | 'is answered, and the answer is lost'
  /** The server receives it; from then on nothing passes in either direction, and neither side is told. */
  | 'arrives, and then all is silent'
  /** The same, and the server never sees it. */
  | 'is lost, and then all is silent'
  /** The server never sees it, and the answer is that it was cancelled. Not even a goodbye is answered after that. */
  | 'is cancelled, and then all is silent'
  /** The server never sees it, and the answer is a row without its number of columns. */
  | 'is answered by a broken message'

type TcpProxy = {
  url: string
  /** Applies to the next simple statement that begins with this text, on any connection. Resolves when it has happened. */
  next(statement: string, fault: Fault): Promise<void>
  /** From now on nothing passes on the connections that there are, and neither side is told; new ones work. */
  silence(): void
}

/** A proxy to PostgreSQL that understands enough of its protocol to break at a given message. */
export async function startProxy(test: Lifetime, databaseUrl: string): Promise<TcpProxy> {
  const database = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  const silences: (() => void)[] = []
  let armed: { statement: string; fault: Fault; happened(): void } | null = null

  const listener = createServer({ allowHalfOpen: true }, (service) => {
    const server = connect(Number(database.port), database.hostname)
    let silent = false
    silences.push(() => {
      silent = true
    })
    let answerToLose: string | null = null
    for (const [socket, other] of [
      [service, server],
      [server, service],
    ] as const) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('end', () => {
        if (!silent) socket.end()
      })
      // What was forwarded before still arrives.
      socket.on('close', () => {
        sockets.delete(socket)
        if (!silent) other.end()
      })
    }

    function passToServer(message: Buffer): void {
      if (silent || service.destroyed) return
      if (armed === null || !statementIn(message).startsWith(armed.statement)) {
        server.write(message)
        return
      }
      const { statement, fault, happened } = armed
      armed = null
      if (fault === 'is half lost') server.write(message.subarray(0, message.length >> 1))
      else if (fault.startsWith('is cancelled')) service.write(cancelled)
      else if (fault === 'is answered by a broken message') service.write(brokenRow)
      else if (!fault.startsWith('is lost')) server.write(message)
      if (fault.endsWith('all is silent')) silent = true
      else if (fault === 'is answered, and the answer is lost') answerToLose = statement
      else if (fault !== 'is answered by a broken message') service.destroy()
      happened()
    }

    function passToService(message: Buffer): void {
      if (silent || service.destroyed) return
      if (answerToLose !== null && tagIn(message) === answerToLose) service.destroy()
      else service.write(message)
    }

    service.on('data', inMessages(passToServer, { greetingFirst: true }))
    server.on('data', inMessages(passToService))
  })

  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  test.after(() => {
    listener.close()
    for (const socket of sockets) socket.destroy()
  })
  const { port } = listener.address() as { port: number }
  return {
    url: Object.assign(new URL(databaseUrl), { host: `127.0.0.1:${port}` }).href,
    next(statement, fault) {
      const { promise, resolve } = Promise.withResolvers<void>()
      armed = { statement, fault, happened: resolve }
      return promise
    },
    silence() {
      for (const silence of silences.splice(0)) silence()
    },
  }
}

/** An error and the end of the statement, as PostgreSQL sends them. */
const cancelled = Buffer.concat([
  messageOf('E', 'SERROR\0VERROR\0C57014\0Mcanceling statement due to user request\0\0'),
  messageOf('Z', 'I'),
])

const brokenRow = messageOf('D', '')

function messageOf(letter: string, text: string): Buffer {
  const message = Buffer.from(`${letter}0000${text}`)
  message.writeInt32BE(message.length - 1, 1)
  return message
}

function statementIn(message: Buffer): string {
  return textOf(message, 'Q')
}

function tagIn(message: Buffer): string {
  return textOf(message, 'C')
}

/** A letter, four bytes of length, the text, a zero. */
function textOf(message: Buffer, letter: string): string {
  return message[0] === letter.charCodeAt(0) ? message.subarray(5, -1).toString().trim() : ''
}
