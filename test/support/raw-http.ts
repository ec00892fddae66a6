import { connect } from 'node:net'

export type RawAnswer = { status: number; head: string; body: string; closed: boolean }

/**
 * Writes bytes to the service's socket as they are and reads whatever comes back until the service closes the
 * connection, or until it has been silent for `quietMs`.
 */
export function sendRaw(url: string, bytes: string | Uint8Array, { quietMs = 500 } = {}): Promise<RawAnswer> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    const chunks: Buffer[] = []
    const finish = (closed: boolean) => {
      socket.destroy()
      const text = Buffer.concat(chunks).toString('latin1')
      const [head = '', body = ''] = text.split(/\r\n\r\n(.*)/s)
      resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), head, body, closed })
    }
    socket.setTimeout(quietMs, () => finish(false))
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('close', () => finish(true))
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error)
    })
  })
}
