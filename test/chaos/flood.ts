import { figuresOf, logLoad, offerLoad } from './open-loop.ts'
import { play } from './play.ts'
import { scenario } from './scenario.ts'

const flooder = 'acme'
const others = ['globex', 'initech', 'umbrella']
const partners = [flooder, ...others].map((partnerId) => ({ partnerId }))
const othersPerSecond = 30
const othersConnections = 20
const closedLoopConnections = 64
const sentPerSecondMax = 20_000

/**
 * First the capacity: the flooder alone, closed loop. Then it offers so many times that, open loop, while each of the
 * others sends a modest 30 orders a second. What the others see is the figure: not one of their orders may be shed or
 * lost (unless allowed), and where the lines are served in turn they wait for less than the flooder does.
 */
export const flood = scenario({
  what: 'one partner floods at several times the capacity, the others go on',
  defaults: {
    ms: 2000,
    times: 5,
    connections: 1000,
    'others-shed-max': 0,
    'others-p99-max-ms': 0,
    'others-p50-max-percent': 0,
  },
  run: ({ ms, times, connections, seed, ...bounds }) =>
    play({ seed, partners }, async ({ stage, startServer, log }) => {
      const seconds = ms / 1000
      const { url } = await startServer()
      const [partner, ...modest] = stage.partners
      const streamOf = (perSecond: number | null, connections: number) => ({
        partner: partner!,
        perSecond,
        connections,
        sentPerSecondMax,
      })
      const alone = await offerLoad({
        url,
        name: 'alone',
        seconds,
        streams: [streamOf(null, closedLoopConnections)],
      })
      const capacity = figuresOf(alone, seconds).goodput
      const [flooding, ...quiet] = await offerLoad({
        url,
        name: 'flood',
        seconds,
        streams: [
          streamOf(times * capacity, connections),
          ...modest.map((partner) => ({
            partner,
            perSecond: othersPerSecond,
            connections: othersConnections,
            sentPerSecondMax: othersPerSecond,
          })),
        ],
      })
      const flooded = figuresOf([flooding!], seconds)
      const other = figuresOf(quiet, seconds)

      const violations = logLoad(log, [...alone, flooding!, ...quiet])
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
    }),
})
