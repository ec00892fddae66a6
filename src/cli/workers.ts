import cluster, { type Worker } from 'node:cluster'
import type { Logger } from 'pino'
import { systemClock } from '../clock.ts'
import type { RunningService } from '../serve.ts'
import { answerPulse, watchPulse } from './pulse.ts'

/**
 * Several processes that serve on the same ports. This one, the supervisor, answers no request: it opens the listening
 * sockets, lends them to its workers, each an ordinary `serve`, and sees to it that there are always `count` of them.
 *
 * A worker is *starting* until it reports where it serves, then *serving*; it is *leaving* once it was told to end, and
 * answers what it has accepted; then it is gone. A worker that goes unasked is replaced, later and later when it dies
 * young; one that does not answer the supervisor any more is killed, and so replaced; if nobody serves any more and they keep dying young, the supervisor gives up. SIGHUP restarts them one by one:
 * a new worker serves before an old one leaves, and if the new one does not start, the old ones go on.
 *
 * The supervisor itself is *starting*, *serving*, then *stopping*; workers are replaced only while it is serving.
 */
type Member = {
  worker: Worker
  servingSince: number | null
  leaving: boolean
  gone: Promise<{ code: number | null }>
}

type Urls = Pick<RunningService, 'partnerUrl' | 'operatorUrl'>

/** There is no hurry: others serve. A slow client has the time to hear `connection: close` instead of being cut off. */
export const workerDrainGraceMs = 3_000
const startMaxMs = 60_000
/** Longer than a worker takes to give up: see stopOnSignals. */
const endMaxMs = 20_000
/** By then the last one that cannot end has been killed. */
export const workersEndMaxMs = endMaxMs + 5_000
/** A worker that has served for so long did not die young. */
const youthMs = 10_000
const youngDeathsMax = 5
const pauseMs = 100
const pauseMaxMs = 5_000

export async function superviseWorkers(count: number, log: Logger): Promise<RunningService> {
  // One socket that all accept from, not one process that accepts and hands on: so what waits in its queue goes to the
  // others when a worker leaves, and does not hang when a worker is killed while a connection is being handed to it.
  cluster.schedulingPolicy = cluster.SCHED_NONE
  const members = new Set<Member>()
  let phase: 'starting' | 'serving' | 'stopping' = 'starting'
  let youngDeaths = 0

  const staying = () => [...members].filter(({ leaving }) => !leaving)

  /** Resolves when a new worker serves. */
  async function start(): Promise<Urls> {
    const worker = cluster.fork()
    const { pid } = worker.process
    const gone = goneOf(worker, log)
    const member: Member = { worker, servingSince: null, leaving: false, gone }
    members.add(member)
    log.info({ worker: pid }, 'worker starting')
    const late = setTimeout(() => worker.process.kill('SIGKILL'), startMaxMs)
    const dead = gone.then((death) => {
      clearTimeout(late)
      onGone(member, death)
      throw new Error(`worker ${pid} ended before it served`)
    })
    const urls = await Promise.race([new Promise<Urls>((resolve) => worker.once('message', resolve)), dead])
    clearTimeout(late)
    const watch = watchPulse(worker, () => {
      log.error({ worker: pid }, 'worker does not answer: killed')
      worker.process.kill('SIGKILL')
      watch.end()
    })
    gone.then(watch.end)
    member.servingSince = systemClock.elapsed()
    log.info({ worker: pid }, 'worker serving')
    return urls
  }

  function onGone(member: Member, death: { code: number | null }): void {
    members.delete(member)
    const { worker, servingSince, leaving } = member
    if (leaving) log.info({ worker: worker.process.pid, ...death }, 'worker ended')
    else log.error({ worker: worker.process.pid, ...death }, 'worker died')
    if (!leaving) {
      const young = servingSince === null || systemClock.elapsed() - servingSince < youthMs
      youngDeaths = young ? youngDeaths + 1 : 0
    }
    refill()
  }

  /** Called whenever somebody may be missing; too often does no harm. */
  function refill(): void {
    if (phase !== 'serving' || staying().length >= count) return
    if (youngDeaths >= youngDeathsMax && !staying().some(({ servingSince }) => servingSince !== null)) {
      log.fatal('no worker serves, and new ones keep dying: giving up')
      process.exit(1)
    }
    const pause = Math.min(pauseMs * 2 ** youngDeaths, pauseMaxMs)
    setTimeout(() => {
      if (phase === 'serving' && staying().length < count) start().catch(refill)
    }, pause)
  }

  async function restartAll(): Promise<void> {
    log.info('restarting the workers')
    for (const member of staying()) {
      if (!members.has(member)) continue // died meanwhile: its replacement is new already
      try {
        if (phase === 'serving') await start()
      } catch {
        if (phase === 'serving') log.error('restart given up: a new worker did not start, the old ones go on')
        return
      }
      if (phase !== 'serving') return
      await end(member)
    }
    log.info('workers restarted')
  }

  async function stop(): Promise<void> {
    phase = 'stopping'
    const ends = [...members].map(async (member) => ({ ...member, ...(await end(member)) }))
    const failed = (await Promise.all(ends)).filter(
      ({ servingSince, code }) => servingSince !== null && code !== 0,
    )
    log.info('stopped')
    if (failed.length > 0) throw new Error(`${failed.length} workers could not finish their work`)
  }

  // Whatever the reason for our end: nobody is left behind.
  process.once('exit', () => {
    for (const { worker } of members) worker.process.kill('SIGKILL')
  })
  let restarts = Promise.resolve()
  let restartWaits = false
  process.on('SIGHUP', () => {
    if (restartWaits) return
    restartWaits = true
    restarts = restarts.then(() => {
      restartWaits = false
      return restartAll()
    })
  })

  try {
    // What is wrong with the first would be wrong with all of them: it is told once.
    const urls = await start()
    await Promise.all(Array.from({ length: count - 1 }, start))
    phase = 'serving'
    refill()
    return { ...urls, stop, unfinished: () => 'ending the workers' }
  } catch (error) {
    await stop()
    throw error
  }
}

function goneOf(worker: Worker, log: Logger): Member['gone'] {
  const { pid } = worker.process
  return new Promise((resolve) => {
    worker.once('exit', (code, signal) => resolve({ code, ...(signal && { signal }) }))
    // No process could be made, or a message crossed a worker's death: without a listener it would be our own.
    worker.on('error', ({ message }) => {
      log.error({ worker: pid, err: { message } }, 'worker failed')
      if (pid === undefined) resolve({ code: null })
    })
  })
}

/** Tells a worker to finish; one that cannot is killed. */
async function end(member: Member): Promise<{ code: number | null }> {
  member.leaving = true
  member.worker.process.kill('SIGTERM')
  const late = setTimeout(() => member.worker.process.kill('SIGKILL'), endMaxMs)
  const death = await member.gone
  clearTimeout(late)
  return death
}

/** In a worker: it serves. */
export function reportToSupervisor({ partnerUrl, operatorUrl }: Urls): void {
  // If the supervisor is lost, Node would exit at once; main.ts lets us finish first.
  cluster.worker!.exitedAfterDisconnect = true
  // A terminal sends it to all of its processes; it is meant for the supervisor.
  process.on('SIGHUP', () => {})
  answerPulse()
  process.send!({ partnerUrl, operatorUrl })
}
