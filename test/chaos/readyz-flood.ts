import { requestText } from '../support/raw-http.ts'
import { figuresOf, logLoad, offerLoad } from './open-loop.ts'
import { play } from './play.ts'
import { openRawConnection, type RawConnection } from './raw-connection.ts'
import { scenario } from './scenario.ts'

const partners = ['acme', 'globex'].map((partnerId) => ({ partnerId }))
const readyz = Buffer.from(requestText('GET /readyz HTTP/1.1', ['Host: localhost']))
const closedLoopConnections = 32
const sentPerSecondMax = 10_000

/**
 * Strangers who request /readyz again and again, the next time after each response (or, with `--pause-ms`, a while
 * later), beside partners who send their next award after each response. Generator, database and service share the
 * machine, and the strangers use their part of it. But awards must not wait for the health checks.
 */
export const readyzFlood = scenario({
  what: 'a thousand connections that ask for /readyz, while partners go on',
  defaults: { connections: 1000, ms: 3000, 'pause-ms': 100, 'goodput-min-percent': 0 },
  run: ({ connections, ms, 'pause-ms': pauseMs, 'goodput-min-percent': goodputMin, seed }) =>
    play({ seed, partners, database: 'postgres' }, async ({ stage, startServer, log, after }) => {
      const seconds = ms / 1000
      const { url } = await startServer()
      const streams = stage.partners.map((partner) => ({
        partner,
        perSecond: null,
        connections: closedLoopConnections,
        sentPerSecondMax,
      }))
      const load = (name: string, onBegin?: () => void) => offerLoad({ url, name, seconds, streams }, onBegin)
      const statuses = new Map<string, number>()
      const asking: RawConnection[] = []
      const ask = (connection: RawConnection) => {
        if (!connection.hasRoom()) return
        connection.send(readyz, (answer) => {
          const status = answer.slice(9, 12)
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
        })
      }
      after(() => {
        for (const connection of asking) connection.end()
      })

      const warmUp = await load('warm-up')
      const alone = await load('alone')
      const flooded = await load('flood', () => {
        const onFree = (connection: RawConnection) => void setTimeout(ask, pauseMs, connection)
        for (let n = 0; n < connections; n++) asking.push(openRawConnection(url, { places: 1, onFree }))
      })
      const [before, during] = [figuresOf(alone, seconds), figuresOf(flooded, seconds)]
      const violations = logLoad(log, [...warmUp, ...alone, ...flooded])
      const goodputPercent = Math.round((100 * during.goodput) / Math.max(1, before.goodput))
      if (goodputPercent < goodputMin)
        violations.push(`I32: the goodput is ${goodputPercent} % of that without`)
      const notReady = [...statuses].filter(([status]) => status !== '200')
      for (const [status, count] of notReady) violations.push(`I33: /readyz was ${status}, ${count} times`)
      if (during.accepted < during.sent)
        violations.push(`I32: ${during.sent - during.accepted} awards were not accepted`)
      return {
        figures: {
          'asked /readyz, times': [...statuses.values()].reduce((total, count) => total + count, 0),
          'goodput before, awards/s': before.goodput,
          'goodput, awards/s': during.goodput,
          'goodput, % of before': goodputPercent,
          'p99 before, ms': before.p99Ms,
          'p99, ms': during.p99Ms,
        },
        violations,
      }
    }),
})
