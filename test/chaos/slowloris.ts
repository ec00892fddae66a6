import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '../../src/wire/limits.ts'
import { send } from '../support/client.ts'
import { figuresOf, logLoad, offerLoad } from './open-loop.ts'
import { play } from './play.ts'
import { heldBy, watchProcess } from './process-watch.ts'
import { scenario } from './scenario.ts'
import { startSlowClients } from './slow-clients.ts'

const partners = ['acme', 'globex', 'initech'].map((partnerId) => ({ partnerId }))
const perSecondEach = 30
const connectionsEach = 10
const newcomerEveryMs = 100
/** With fewer slow connections than this, a new connection is accepted. */
const connectionsLeftMax = limits.connectionsMax - 2 * connectionsEach * partners.length
/** Files that a server opens as it goes, beside its connections. */
const filesSpare = 20

/**
 * Partners who are connected are not disturbed, however many slow connections there are. New connections are accepted as
 * long as the slow ones leave some of the 4096; `--connections 6000` shows that bound.
 */
export const slowloris = scenario({
  what: 'thousands of connections that say next to nothing, while partners go on',
  defaults: { connections: 1000, seconds: 3, 'memory-max-mb': 0 },
  run: ({ connections, seconds, 'memory-max-mb': memoryMaxMb, seed }) =>
    play({ seed, partners }, async ({ stage, startServer, log, after, show }) => {
      const { url, pid, end } = await startServer()
      const before = heldBy(pid)
      const watch = watchProcess(pid)
      const began = Promise.withResolvers<void>()
      const streams = stage.partners.map((partner) => ({
        partner,
        perSecond: perSecondEach,
        connections: connectionsEach,
        sentPerSecondMax: perSecondEach,
      }))
      const offered = offerLoad({ url, name: 'slowloris', seconds, streams }, began.resolve)
      await began.promise
      const slow = startSlowClients(url, connections)
      after(() => slow.end())

      const newcomers = { answered: 0, turnedAway: 0 }
      const endsAt = performance.now() + seconds * 1000
      for (let now = 0; now < endsAt; now = performance.now()) {
        await sleep(newcomerEveryMs)
        const newcomer = await send(`${url}/livez`, { headers: { connection: 'close' } }).catch(() => null)
        newcomers[newcomer?.status === 200 ? 'answered' : 'turnedAway']++
        show(1 - (endsAt - now) / (seconds * 1000))
      }
      const logs = await offered
      const normal = figuresOf(logs, seconds)
      const { answered408, oldestMs, closedUnanswered, violations } = slow.figures()
      slow.end()
      const most = watch.end()
      const connectionsMost = most.files - before.files
      await end('SIGTERM')

      violations.push(...logLoad(log, logs))
      const notAccepted = normal.sent - normal.accepted
      if (notAccepted > 0)
        violations.push(`I25: ${notAccepted} awards of connected partners were not accepted`)
      if (connectionsMost > limits.connectionsMax + filesSpare)
        violations.push(`I25: ${connectionsMost} connections were open`)
      if (connections < connectionsLeftMax && newcomers.turnedAway > 0)
        violations.push(`I25: ${newcomers.turnedAway} newcomers were turned away`)
      if (memoryMaxMb > 0 && most.memoryMb > memoryMaxMb)
        violations.push(`I25: ${most.memoryMb} MB of memory`)
      return {
        figures: {
          'connections, at most': connectionsMost,
          'answered 408': answered408,
          'closed without an answer': closedUnanswered,
          'longest held, ms': oldestMs,
          'awards of partners': normal.accepted,
          'their p99, ms': normal.p99Ms,
          'newcomers answered': newcomers.answered,
          'newcomers turned away': newcomers.turnedAway,
          'memory before, MB': before.memoryMb,
          'memory at most, MB': most.memoryMb,
        },
        violations,
      }
    }),
})
