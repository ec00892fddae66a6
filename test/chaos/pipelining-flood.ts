import { connect } from 'node:net'
import { requestText } from '../support/raw-http.ts'
import { compareSeen, watchNeighbors } from './neighbors.ts'
import { play } from './play.ts'
import { scenario } from './scenario.ts'

const partners = ['acme', 'globex', 'initech'].map((partnerId) => ({ partnerId }))
/** With `chunks`, an award without a key, each byte of its body in a chunk of its own: Node makes an object for each. */
function aRequest(chunks: number): string {
  if (chunks === 0) return requestText('GET /livez HTTP/1.1', ['Host: localhost'])
  const lines = ['Host: localhost', 'Transfer-Encoding: chunked']
  return requestText('POST /v1/ep/webhook HTTP/1.1', lines, `${'1\r\nx\r\n'.repeat(chunks)}0\r\n\r\n`)
}

/**
 * A stranger writes many requests to one connection without waiting for a response, and reads what comes back. The
 * others must not notice. `--chunks` gives each request a body in as many chunks, `--empty-lines` puts as many behind it.
 * `--connections` opens several of them; from the third on, they bring more at once than we read, and are closed after 64
 * responses.
 */
export const pipeliningFlood = scenario({
  what: 'hundreds of thousands of requests on one connection, none of them waited for',
  defaults: {
    requests: 400_000,
    chunks: 0,
    'empty-lines': 0,
    connections: 1,
    ms: 5000,
    'warm-ups': 2,
    'memory-max-percent': 0,
    'p99-max-percent': 0,
  },
  run: ({
    requests,
    chunks,
    'empty-lines': emptyLines,
    connections,
    ms,
    'warm-ups': warmUps,
    seed,
    ...bounds
  }) =>
    play({ seed, partners }, async ({ stage, startServer, log, after }) => {
      const seconds = ms / 1000
      const server = await startServer()
      const watch = (name: string, attack?: () => void) =>
        watchNeighbors(server, { stage, log, name, seconds }, attack)
      let bytesRead = 0
      let closed = 0
      const bytes = Buffer.from(`${aRequest(chunks)}${'\r\n'.repeat(emptyLines)}`.repeat(requests))
      function flood(): void {
        const { hostname, port } = new URL(server.url)
        const socket = connect(Number(port), hostname)
        after(() => socket.destroy())
        socket.on('data', (chunk: Buffer) => {
          bytesRead += chunk.length
        })
        socket.on('error', () => {})
        socket.once('close', () => closed++)
        socket.write(bytes)
      }
      // A heap takes time to reach its size, under any load.
      for (let n = 1; n <= warmUps; n++) {
        const { violations } = await watch(`warm-up-${n}`)
        if (violations.length > 0) return { figures: {}, violations }
      }
      const quiet = await watch('quiet')
      const attacked = await watch('flood', () => {
        for (let n = 0; n < connections; n++) flood()
      })
      const { figures, violations } = compareSeen(quiet, attacked, bounds)
      return {
        figures: {
          'requests of the flood': connections * requests,
          'bytes of its responses': bytesRead,
          'its connections closed': closed,
          ...figures,
        },
        violations,
      }
    }),
})
