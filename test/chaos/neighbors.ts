import { send } from '../support/client.ts'
import type { ServerProcess } from '../support/server-process.ts'
import type { HistoryLog } from './history-log.ts'
import { figuresOf, logLoad, offerLoad } from './open-loop.ts'
import { watchProcess } from './process-watch.ts'
import type { Stage } from './stage.ts'

const perSecondEach = 30
const connectionsEach = 10
const askEveryMs = 50
/** Long enough for a busy machine: a service that is down does not respond at all. */
const answerMaxMs = 10_000

/** What the others notice of an attack, and what it costs the service. */
type Seen = { p50Ms: number; p99Ms: number; accepted: number; memoryMb: number; violations: string[] }

/**
 * Every partner sends 30 orders a second, open loop, and new clients request /livez on both ports, while something
 * else happens. No order may be shed or lost, and every new client gets a response.
 */
export async function watchNeighbors(
  server: ServerProcess,
  { stage, log, name, seconds }: { stage: Stage; log: HistoryLog; name: string; seconds: number },
  attack: () => void = () => {},
): Promise<Seen> {
  const watch = watchProcess(server.pid)
  const violations: string[] = []
  const streams = stage.partners.map((partner) => ({
    partner,
    perSecond: perSecondEach,
    connections: connectionsEach,
    sentPerSecondMax: perSecondEach,
  }))
  const newcomers: Promise<void>[] = []
  const ask = () => {
    for (const url of [server.url, server.operatorUrl]) newcomers.push(newcomer(url, violations))
  }
  let asking: NodeJS.Timeout | undefined
  const logs = await offerLoad({ url: server.url, name, seconds, streams }, () => {
    asking = setInterval(ask, askEveryMs)
    attack()
  })
  clearInterval(asking)
  await Promise.all(newcomers)
  const { p50Ms, p99Ms, sent, accepted } = figuresOf(logs, seconds)
  violations.push(...logLoad(log, logs))
  if (accepted < sent)
    violations.push(`I31: ${sent - accepted} of ${sent} orders of the others were not accepted`)
  return { p50Ms, p99Ms, accepted, memoryMb: watch.end().memoryMb, violations }
}

async function newcomer(url: string, violations: string[]): Promise<void> {
  const init = { headers: { connection: 'close' }, signal: AbortSignal.timeout(answerMaxMs) }
  const status = await send(`${url}/livez`, init).then(
    (answer) => answer.status,
    (error: Error) => error.name,
  )
  if (status !== 200) violations.push(`I31: a newcomer who asked ${url}/livez got ${status}`)
}

/** The figures of an attack and of a quiet time, and what is above the bounds (in percent; 0: no bound). */
export function compareSeen(
  quiet: Seen,
  attacked: Seen,
  bounds: { 'memory-max-percent': number; 'p99-max-percent': number },
): { figures: Record<string, number>; violations: string[] } {
  const violations = [...quiet.violations, ...attacked.violations]
  const percent = (of: (seen: Seen) => number) => Math.round((100 * of(attacked)) / Math.max(1, of(quiet)))
  const memoryPercent = percent(({ memoryMb }) => memoryMb)
  const p99Percent = percent(({ p99Ms }) => p99Ms)
  const atMost = (what: string, figure: number, bound: number) => {
    if (bound > 0 && figure > bound)
      violations.push(`I31: ${what} is ${figure} % of that of a quiet time, more than ${bound} %`)
  }
  atMost('memory', memoryPercent, bounds['memory-max-percent'])
  atMost('the p99 of the others', p99Percent, bounds['p99-max-percent'])
  return {
    figures: {
      'awards of the others': quiet.accepted + attacked.accepted,
      'their p50 before, ms': quiet.p50Ms,
      'their p50, ms': attacked.p50Ms,
      'their p99 before, ms': quiet.p99Ms,
      'their p99, ms': attacked.p99Ms,
      'their p99, % of before': p99Percent,
      'memory before, MB': quiet.memoryMb,
      'memory, MB': attacked.memoryMb,
      'memory, % of before': memoryPercent,
    },
    violations,
  }
}
