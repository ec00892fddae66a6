import { connect } from 'node:net'
import type { Answer } from './client.ts'

type RawAnswer = Answer & { closed: boolean }

/** Longer than a slow machine takes. */
const patienceMs = 60_000
const closes = /\r\nconnection: close\r\n/i

/**
 * Writes bytes to the service's socket as they are, or piece by piece as they come, and reads the response
 * until the service closes the connection, or until it has been silent for `quietMs`. If the response says that it
 * closes the connection, silence says nothing: a busy machine may be late.
 */
export async function sendRaw(
  url: string,
  bytes: string | Uint8Array | AsyncIterable<string>,
  { quietMs = 500, hangUp = false } = {},
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url)
  const chunks: Buffer[] = []
  const closed = await new Promise<boolean>((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      writeAll().then(() => hangUp && socket.end(), reject)
    })
    async function writeAll(): Promise<void> {
      const pieces = typeof bytes === 'string' || bytes instanceof Uint8Array ? [bytes] : bytes
      for await (const piece of pieces) {
        if (socket.destroyed) return
        socket.write(typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece)
      }
    }
    socket.setNoDelay()
    // Silence counts from the first byte of a response: before it, a busy machine may take long.
    socket.setTimeout(Math.max(quietMs, patienceMs), () => {
      socket.destroy()
      resolve(false)
    })
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      socket.setTimeout(closes.test(Buffer.concat(chunks).toString('latin1')) ? patienceMs : quietMs)
    })
    socket.on('close', () => resolve(true))
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error)
    })
  })
  return { ...answerFrom(Buffer.concat(chunks).toString('latin1')), closed }
}

/** One request as text, its headers in the order given; nothing is added. */
export function requestText(requestLine: string, headerLines: string[], body = ''): string {
  return `${[requestLine, ...headerLines].join('\r\n')}\r\n\r\n${body}`
}

export function headerLines(headers: Record<string, string>): string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
}

/** Everything after the first head is its text: a second response on the connection would not parse as its body. */
function answerFrom(received: string): Answer {
  const [head = '', text = ''] = received.split(/\r\n\r\n(.*)/s)
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const [name = '', value = ''] = line.split(/: ?(.*)/s)
      return [name, value]
    }),
  )
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(statusLine)?.[1] ?? 0)
  const isJson = headers.get('content-type')?.includes('json') ?? false
  return { status, headers, text, body: isJson && text !== '' ? JSON.parse(text) : null }
}
