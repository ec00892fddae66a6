import { startDelayingProxy } from '../support/delaying-proxy.ts'
import { figuresOf, logLoad, offerLoad, type Stream } from './open-loop.ts'
import { play } from './play.ts'
import { scenario } from './scenario.ts'
import type { PartnerKey } from './stage.ts'

const others = ['globex', 'initech', 'umbrella']
const othersPerSecond = 30
const othersConnections = 20
const closedLoopConnections = 64
const sentPerSecondMax = 20_000

/**
 * First the capacity: one flooder alone, closed loop. Then the flooders together offer a multiple of it, open loop,
 * while each of the others sends 30 orders a second. The figures are what the others see: none of their orders
 * may be shed or lost (unless allowed), and where partners are served in turn they wait less than a flooder does.
 * Four flooders whose requests are pipelined fill the whole queue of a server that is far from its database:
 * `--rtt-ms` puts a PostgreSQL behind a connection with that delay.
 */
export const flood = scenario({
  what: 'partners flood at several times the capacity, the others go on',
  defaults: {
    ms: 2000,
    partners: 1,
    times: 5,
    connections: 1000,
    pipelined: 1,
    'rtt-ms': 0,
    'others-shed-max': 0,
    'others-p99-max-ms': 0,
    'others-p50-max-percent': 0,
  },
  run: ({ ms, partners, times, connections, pipelined, 'rtt-ms': rttMs, seed, ...bounds }) => {
    const flooders = Array.from({ length: partners }, (_, index) => `flooder-${index}`)
    const plans = [...flooders, ...others].map((partnerId) => ({ partnerId }))
    const database = rttMs > 0 ? 'postgres' : 'sqlite'
    return play({ seed, database, partners: plans }, async ({ stage, startServer, log, after }) => {
      const seconds = ms / 1000
      const { url } = await startServer(
        rttMs > 0 ? { DATABASE_URL: await startDelayingProxy({ after }, stage.database.url, { rttMs }) } : {},
      )
      const flooding = stage.partners.slice(0, partners)
      const modest = stage.partners.slice(partners)
      const streamOf = (
        partner: PartnerKey,
        stream: Pick<Stream, 'perSecond' | 'connections' | 'pipelined'>,
      ) => ({
        partner,
        sentPerSecondMax: sentPerSecondMax / partners,
        ...stream,
      })
      const alone = await offerLoad({
        url,
        name: 'alone',
        seconds,
        streams: [streamOf(flooding[0]!, { perSecond: null, connections: closedLoopConnections })],
      })
      const capacity = figuresOf(alone, seconds).goodput
      const offered = await offerLoad({
        url,
        name: 'flood',
        seconds,
        streams: [
          ...flooding.map((partner) =>
            streamOf(partner, {
              perSecond: (times * capacity) / partners,
              connections: Math.ceil(connections / partners),
              pipelined,
            }),
          ),
          ...modest.map((partner) => ({
            partner,
            perSecond: othersPerSecond,
            connections: othersConnections,
            sentPerSecondMax: othersPerSecond,
          })),
        ],
      })
      const flooded = figuresOf(offered.slice(0, partners), seconds)
      const other = figuresOf(offered.slice(partners), seconds)

      const violations = logLoad(log, [...alone, ...offered])
      const notAccepted = other.sent - other.accepted
      if (notAccepted > bounds['others-shed-max'])
        violations.push(`I26: ${notAccepted} of ${other.sent} orders of the others were not accepted`)
      if (bounds['others-p99-max-ms'] > 0 && other.p99Ms > bounds['others-p99-max-ms'])
        violations.push(`I26: the p99 of the others is ${other.p99Ms} ms`)
      const p50Percent = Math.round((100 * other.p50Ms) / flooded.p50Ms)
      if (bounds['others-p50-max-percent'] > 0 && p50Percent > bounds['others-p50-max-percent'])
        violations.push(`I26: the others wait ${p50Percent} % of what the flooder waits`)
      return {
        figures: {
          'capacity, awards/s': capacity,
          'flood offered, awards/s': Math.round(flooded.offered / seconds),
          'flood sent, awards/s': Math.round(flooded.sent / seconds),
          'flood accepted, awards/s': flooded.goodput,
          'flood shed with 503, awards/s': Math.round(flooded.shed / seconds),
          'flood accepted p50, ms': flooded.p50Ms,
          'flood accepted p99, ms': flooded.p99Ms,
          'others offered': other.offered,
          'others accepted': other.accepted,
          'others shed': other.shed,
          'others: no connection free': other.turnedAway,
          'others p50, ms': other.p50Ms,
          'others p99, ms': other.p99Ms,
          'others p50, % of the flooder': p50Percent,
        },
        violations,
      }
    })
  },
})
