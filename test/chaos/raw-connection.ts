import { connect, type Socket } from 'node:net'

/** A keep-alive connection with a number of requests in flight: one, unless they are pipelined. */
export type RawConnection = {
  /** It is open and can take another request. */
  hasRoom(): boolean
  /** Resolves with the response as text, or with '' if the connection was lost before it arrived. */
  send(bytes: Uint8Array, onAnswer: (text: string) => void): void
  end(): void
}

const reopenMs = 50
/** Used only within a callback, so that all connections can share it. */
const received = Buffer.allocUnsafe(65_536)

/**
 * A bare socket: it costs a fraction of an HTTP client, and a generator that is busy would measure itself. It
 * is reopened whenever it was closed, and reports when it can take another request.
 */
export function openRawConnection(
  url: string,
  { places, onFree }: { places: number; onFree: (connection: RawConnection) => void },
): RawConnection {
  const { hostname, port } = new URL(url)
  let socket: Socket
  let waiting: ((text: string) => void)[] = []
  let ended = false
  let text = ''

  const connection: RawConnection = {
    hasRoom: () => socket.writable && waiting.length < places,
    send(bytes, onAnswer) {
      waiting.push(onAnswer)
      socket.write(bytes)
    },
    end() {
      ended = true
      socket.destroy()
    },
  }

  function read(bytes: number): boolean {
    text += received.toString('latin1', 0, bytes)
    for (let length = wholeLength(text); length > 0; length = wholeLength(text)) {
      const onAnswer = waiting.shift()
      const answer = text.slice(0, length)
      text = text.slice(length)
      if (onAnswer === undefined) continue // the service says good-bye to a silent connection
      onAnswer(answer)
      onFree(connection)
    }
    return true
  }

  function open(): void {
    socket = connect({
      host: hostname,
      port: Number(port),
      noDelay: true,
      onread: { buffer: received, callback: read },
    })
    socket.once('connect', () => {
      for (let place = 0; place < places; place++) onFree(connection)
    })
    socket.on('error', () => {}) // whatever it was, it is closed now
    socket.once('close', () => {
      const lost = waiting
      waiting = []
      text = ''
      for (const onAnswer of lost) onAnswer('')
      if (!ended) setTimeout(open, reopenMs)
    })
  }
  open()
  return connection
}

/** The length of the first response; 0 until it has arrived completely. */
function wholeLength(text: string): number {
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd === -1) return 0
  const bodyLength = /\r\ncontent-length: (\d+)/.exec(text)
  if (bodyLength === null) return 0
  const length = headEnd + 4 + Number(bodyLength[1])
  return text.length >= length ? length : 0
}
