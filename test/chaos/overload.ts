import { systemClock } from '../../src/clock.ts'
import { createClient } from '../support/client.ts'
import { figuresOf, logLoad, offerLoad, type StreamFigures } from './open-loop.ts'
import { play, type Scene } from './play.ts'
import { type Held, watchProcess } from './process-watch.ts'
import { scenario } from './scenario.ts'
import { sendAward } from './traffic.ts'

const partners = ['acme', 'globex', 'initech', 'umbrella'].map((partnerId) => ({ partnerId }))
const closedLoopConnections = 64
const sentPerSecondMax = 20_000

/**
 * First the peak: 64 connections, each sending its next order after a response. Then orders come at a
 * constant rate, a multiple of that peak, on `--connections` connections, one at a time on each (or
 * `--pipelined`: what waits is then bounded by the service alone). Latencies count from the
 * moment when an order was due. The limits are off (0) unless given: on a busy machine they would measure the other
 * programs. Generator and service share the machine, so the peak is lower than the service's own. A heap takes time to
 * reach its size under any load: `--warm-ups` rounds at the peak come before memory is compared.
 */
export const overload = scenario({
  what: 'orders at 10 times the capacity, open loop: shed early, and recovered alone',
  defaults: {
    ms: 2000,
    'warm-ups': 1,
    times: 10,
    connections: 640,
    pipelined: 1,
    'goodput-min-percent': 0,
    'p99-max-ms': 0,
    'memory-max-percent': 0,
    'recovery-max-ms': 0,
  },
  run: ({ ms, 'warm-ups': warmUps, times, connections, pipelined, seed, ...bounds }) =>
    play({ seed, partners }, async (scene) => {
      const seconds = ms / 1000
      const { url, pid } = await scene.startServer()
      const load = (name: string, plan: Pick<Load, 'perSecond' | 'connections' | 'pipelined'>) =>
        measure(scene, { url, pid, name, seconds, ...plan })
      const closedLoop = { perSecond: null, connections: closedLoopConnections, pipelined: 1 }
      for (let n = 1; n <= warmUps; n++) await load(`warm-up-${n}`, closedLoop)
      const peak = await load('peak', closedLoop)
      const over = await load('overload', { perSecond: times * peak.goodput, connections, pipelined })
      const recoveredAt = performance.now()
      const [partner] = scene.stage.partners
      const order = {
        partnerId: 'acme',
        orderId: 'afterwards',
        tenantId: 't1',
        userEmail: 'a@example.com',
        amount: 1000,
      }
      const outcome = await sendAward(scene.log, createClient(url, partner!, systemClock), order)
      const recoveryMs = Math.round(performance.now() - recoveredAt)
      const after = await load('after', closedLoop)

      const violations = [...peak.violations, ...over.violations, ...after.violations]
      if (outcome !== 'ok') violations.push('I25: an award after the overload was not accepted')
      const goodputPercent = Math.round((100 * over.goodput) / peak.goodput)
      const memoryPercent = Math.round((100 * over.memoryMb) / peak.memoryMb)
      const atMost = (what: string, figure: number, bound: number) => {
        if (bound > 0 && figure > bound) violations.push(`I25: ${what} is ${figure}, more than ${bound}`)
      }
      atMost('the p99 of the accepted, in ms,', over.p99Ms, bounds['p99-max-ms'])
      atMost('the memory, in percent of that at the peak,', memoryPercent, bounds['memory-max-percent'])
      atMost('the recovery, in ms,', recoveryMs, bounds['recovery-max-ms'])
      if (goodputPercent < bounds['goodput-min-percent'])
        violations.push(`I25: the goodput is ${goodputPercent} % of the peak`)
      return {
        figures: {
          'peak goodput, awards/s': peak.goodput,
          'peak p99, ms': peak.p99Ms,
          'offered, awards/s': Math.round(over.offered / seconds),
          'sent, awards/s': Math.round(over.sent / seconds),
          'no connection free, awards/s': Math.round(over.turnedAway / seconds),
          'goodput, awards/s': over.goodput,
          'goodput, % of the peak': goodputPercent,
          'shed with 503, awards/s': Math.round(over.shed / seconds),
          'connections lost': over.lost,
          'accepted p50, ms': over.p50Ms,
          'accepted p99, ms': over.p99Ms,
          'shed p99, ms': over.shedP99Ms,
          'generator late p99, ms': over.lagP99Ms,
          'memory at the peak, MB': peak.memoryMb,
          'memory, MB': over.memoryMb,
          'memory, % of the peak': memoryPercent,
          'first award afterwards, ms': recoveryMs,
          'goodput afterwards, awards/s': after.goodput,
        },
        violations,
      }
    }),
})

type Load = {
  url: string
  pid: number
  name: string
  seconds: number
  /** Of all partners together, as are the connections. */
  perSecond: number | null
  connections: number
  pipelined: number
}

/** Every partner offers an equal part. */
async function measure(
  { stage, log }: Pick<Scene, 'stage' | 'log'>,
  { url, pid, name, seconds, perSecond, connections, pipelined }: Load,
): Promise<StreamFigures & Held & { violations: string[] }> {
  const share = (of: number) => Math.ceil(of / stage.partners.length)
  const watch = watchProcess(pid)
  const logs = await offerLoad({
    url,
    name,
    seconds,
    streams: stage.partners.map((partner) => ({
      partner,
      perSecond: perSecond === null ? null : share(perSecond),
      connections: share(connections),
      pipelined,
      sentPerSecondMax: share(sentPerSecondMax),
    })),
  })
  return { ...figuresOf(logs, seconds), ...watch.end(), violations: logLoad(log, logs) }
}
