import { connect } from 'node:net'
import { systemClock } from '../../src/clock.ts'
import { createClient, send } from '../support/client.ts'
import { headerLines, requestText } from '../support/raw-http.ts'
import { compareSeen, watchNeighbors } from './neighbors.ts'
import { play } from './play.ts'
import { scenario } from './scenario.ts'

const partners = ['acme', 'globex', 'initech'].map((partnerId) => ({ partnerId }))

/**
 * Clients that request a lot and read nothing: pages of a partner's history on half of the connections, pages of the
 * public documentation on the others. After more than 30 s, the service closes them.
 */
export const unreadResponses = scenario({
  what: 'requests with large responses that are never read',
  defaults: {
    requests: 2000,
    connections: 2,
    ms: 5000,
    'warm-ups': 2,
    'memory-max-percent': 0,
    'p99-max-percent': 0,
  },
  run: ({ requests, connections, ms, 'warm-ups': warmUps, seed, ...bounds }) =>
    play({ seed, partners }, async ({ stage, startServer, log, after }) => {
      const seconds = ms / 1000
      const server = await startServer()
      const watch = (name: string, attack?: () => void) =>
        watchNeighbors(server, { stage, log, name, seconds }, attack)
      function ask(text: string): void {
        const { hostname, port } = new URL(server.url)
        const socket = connect(Number(port), hostname)
        after(() => socket.destroy())
        socket.pause()
        socket.on('error', () => {})
        socket.write(text.repeat(requests))
      }
      // The history pages show the awards that are made here.
      for (let n = 1; n <= warmUps; n++) {
        const { violations } = await watch(`warm-up-${n}`)
        if (violations.length > 0) return { figures: {}, violations }
      }
      // The first page of each kind starts the thread that makes it.
      const acme = createClient(server.url, stage.partners[0]!, systemClock)
      await acme.history('t1', '&limit=100')
      await send(`${server.url}/docs/reference`)
      const quiet = await watch('quiet')
      const attacked = await watch('unread', () => {
        const lines = ['Host: localhost', ...headerLines(acme.headers('t1'))]
        const history = requestText('GET /v1/ep/webhook/awards?tenantId=t1&limit=100 HTTP/1.1', lines)
        const docs = requestText('GET /docs/reference HTTP/1.1', ['Host: localhost'])
        for (let n = 0; n < connections; n++) ask(n % 2 === 0 ? history : docs)
      })
      // A client that does not read does not notice that it was closed: the server's log says so.
      const refused = server.log.findLast((line) => line.includes('"msg":"refused"'))
      const closed: number = refused === undefined ? 0 : JSON.parse(refused).unreadClosed
      const { figures, violations } = compareSeen(quiet, attacked, bounds)
      return {
        figures: {
          'requests that nobody reads': connections * requests,
          'their connections closed': closed,
          ...figures,
        },
        violations,
      }
    }),
})
