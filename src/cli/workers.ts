import cluster, { type Worker } from 'node:cluster'
import type { Logger } from 'pino'
import { systemClock } from '../clock.ts'
import { ConfigError, type Environment, givenEnvironment, readEnvironment, settingsIn } from '../config.ts'
import type { RunningService } from '../serve.ts'
import type { DatabaseLocation } from '../stores/open.ts'
import { watchPulse } from './pulse.ts'
import { shareMetrics } from './worker-metrics.ts'

/**
 * Runs several server processes on the same ports. This process, the supervisor, handles no requests: it opens the
 * listening sockets, shares them with its workers, each an ordinary `serve`, and keeps `count` of them running.
 *
 * A worker is *starting* until it reports its URLs, then *serving*; it is *leaving* after it was signaled to stop and
 * while it finishes the requests it has accepted. A worker that exits by itself is replaced, with a growing delay if it
 * exits soon after its start. A worker that stops responding to the supervisor is killed and replaced. If no worker is
 * serving and new ones keep exiting early, the supervisor exits. SIGHUP restarts the workers one by one: a new worker
 * serves before an old one leaves, and if the new one does not start, the old ones stay.
 *
 * Only SIGHUP reads the `.env` file again: whoever edits it for later would otherwise change one worker, the one that
 * replaces another. All workers have one ledger, because in two an order could be credited twice.
 *
 * The supervisor itself is *starting*, *serving*, then *stopping*; workers are replaced only while it is serving.
 */
type Member = {
  worker: Worker
  servingSince: number | null
  leaving: boolean
  gone: Promise<{ code: number | null }>
}

/** What a worker reports when it is serving. */
type Report = Pick<
  RunningService,
  'partnerUrl' | 'operatorUrl' | 'database' | 'knownPartner' | 'firstAccountUrl'
>

/** In the environment of a worker: the ledger that the one before it found. */
const ledgerVariable = 'PARTNER_CREDIT_LEDGER'

/** Long, because other workers keep serving: slow clients receive `connection: close` instead of being disconnected. */
export const workerDrainGraceMs = 3_000
/** For a worker that responds, but waits for the database. */
const startMaxMs = 60_000
/** Longer than a worker's own timeout: see stopOnSignals. */
const endMaxMs = 20_000
/** A signal ends a worker that is starting at once, unless it hangs. */
const startingEndMaxMs = 2_000
/** By then, every worker that did not stop by itself has been killed. */
export const workersEndMaxMs = endMaxMs + 5_000
/** A worker that exits before it has served for this long has exited early. */
const earlyExitMs = 10_000
const earlyExitsMax = 5
const pauseMs = 100
const pauseMaxMs = 5_000

/** One Ctrl-C can arrive twice: from the terminal and from the launcher. */
export const sameSignalMs = 500
const stopSignals = ['SIGINT', 'SIGTERM'] as const

type Supervised = { count: number; log: Logger; environment: Environment }

export async function superviseWorkers({ count, log, ...given }: Supervised): Promise<RunningService> {
  // All workers accept from one shared socket, instead of one process that accepts and hands connections over. Queued
  // connections then go to other workers when one leaves, and none is lost when a worker is killed during a handover.
  cluster.schedulingPolicy = cluster.SCHED_NONE
  const members = new Set<Member>()
  const metrics = shareMetrics()
  let phase: 'starting' | 'serving' | 'stopping' = 'starting'
  let earlyExits = 0
  let ledger: DatabaseLocation | null = null
  /** Of the start, or of the last restart with which a worker could serve. */
  let { environment } = given

  const staying = () => [...members].filter(({ leaving }) => !leaving)

  /** Resolves when a new worker serves. */
  async function start(settings = environment): Promise<Report> {
    const worker = cluster.fork({
      ...settingsIn(settings),
      ...(ledger !== null && { [ledgerVariable]: JSON.stringify(ledger) }),
    })
    metrics.join(worker)
    const { pid } = worker.process
    const gone = goneOf(worker, log)
    const member: Member = { worker, servingSince: null, leaving: false, gone }
    members.add(member)
    log.info({ worker: pid }, 'worker starting')
    const late = setTimeout(() => worker.process.kill('SIGKILL'), startMaxMs)
    const dead = gone.then((death) => {
      clearTimeout(late)
      onGone(member, death)
      throw new Error(`worker ${pid} exited before it was serving`)
    })
    const watch = watchPulse(worker, () => {
      log.error({ worker: pid }, 'worker does not respond: killed')
      worker.process.kill('SIGKILL')
      watch.end()
    })
    gone.then(watch.end)
    const report = await Promise.race([reportOf(worker), dead])
    clearTimeout(late)
    member.servingSince = systemClock.elapsed()
    ledger ??= report.database
    log.info({ worker: pid }, 'worker serving')
    return report
  }

  function onGone(member: Member, death: { code: number | null }): void {
    members.delete(member)
    metrics.leave(member.worker)
    const { worker, servingSince, leaving } = member
    if (leaving) log.info({ worker: worker.process.pid, ...death }, 'worker ended')
    else log.error({ worker: worker.process.pid, ...death }, 'worker died')
    if (!leaving) {
      const wasEarly = servingSince === null || systemClock.elapsed() - servingSince < earlyExitMs
      earlyExits = wasEarly ? earlyExits + 1 : 0
    }
    refill()
  }

  /** Call it whenever a worker may be missing; extra calls are harmless. */
  function refill(): void {
    if (phase !== 'serving' || staying().length >= count) return
    if (earlyExits >= earlyExitsMax && !staying().some(({ servingSince }) => servingSince !== null)) {
      log.fatal('no worker is serving, and new ones keep exiting: giving up')
      process.exit(1)
    }
    const pause = Math.min(pauseMs * 2 ** earlyExits, pauseMaxMs)
    setTimeout(() => {
      if (phase === 'serving' && staying().length < count) start().catch(refill)
    }, pause)
  }

  async function restartAll(): Promise<void> {
    log.info('restarting the workers')
    let settings: Environment | undefined
    for (const member of staying()) {
      if (!members.has(member)) continue // it has exited, and its replacement is new already
      try {
        settings ??= readEnvironment()
        if (phase === 'serving') await start(settings)
        environment = settings
      } catch (error) {
        if (phase !== 'serving') return
        const { message } = error as Error
        log.error({ err: { message } }, 'restart aborted: a new worker did not start, the old ones stay')
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
    // Imported here, so that the other commands do not load the logger.
    await (await import('../log.ts')).flushLog(log)
    if (failed.length > 0) throw new Error(`${failed.length} workers could not finish their work`)
  }

  // No worker outlives the supervisor, whatever the reason for its exit.
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

  // The caller handles signals once we serve. Until then one would end us at once, and a worker that hangs would stay.
  const isStopping = () => phase === 'stopping'
  let stoppingSince: number | undefined
  function onSignal(): void {
    if (stoppingSince === undefined) {
      stoppingSince = systemClock.elapsed()
      stop().then(
        () => process.exit(0),
        () => process.exit(1),
      )
    } else if (systemClock.elapsed() - stoppingSince > sameSignalMs) process.exit(1)
  }
  for (const signal of stopSignals) process.on(signal, onSignal)
  try {
    // The first worker alone: what is wrong with it is wrong with all of them, and is reported once.
    const report = await start()
    if (!isStopping()) await Promise.all(Array.from({ length: count - 1 }, start))
    if (!isStopping()) {
      phase = 'serving'
      refill()
      return { ...report, stop, unfinished: () => 'ending the workers' }
    }
  } catch (error) {
    if (!isStopping()) {
      await stop()
      throw error
    }
  } finally {
    if (stoppingSince === undefined) for (const signal of stopSignals) process.off(signal, onSignal)
  }
  return new Promise(() => {}) // after a signal, `onSignal` ends this process
}

function reportOf(worker: Worker): Promise<Report> {
  return new Promise((resolve) => {
    worker.on('message', function onMessage(message: unknown) {
      if (typeof message !== 'object' || message === null || !('partnerUrl' in message)) return
      worker.off('message', onMessage)
      resolve(message as Report)
    })
  })
}

function goneOf(worker: Worker, log: Logger): Member['gone'] {
  const { pid } = worker.process
  return new Promise((resolve) => {
    worker.once('exit', (code, signal) => resolve({ code, ...(signal && { signal }) }))
    // The fork failed, or a message was sent to a worker that had exited. Without a listener, this would end us too.
    worker.on('error', ({ message }) => {
      log.error({ worker: pid, err: { message } }, 'worker failed')
      if (pid === undefined) resolve({ code: null })
    })
  })
}

/** Stops a worker; one that does not stop in time is killed. */
async function end(member: Member): Promise<{ code: number | null }> {
  member.leaving = true
  member.worker.process.kill('SIGTERM')
  const kill = () => member.worker.process.kill('SIGKILL')
  const hung = setTimeout(() => member.servingSince === null && kill(), startingEndMaxMs)
  const late = setTimeout(kill, endMaxMs)
  const death = await member.gone
  clearTimeout(hung)
  clearTimeout(late)
  return death
}

/** In a worker, once it is serving. */
export function reportToSupervisor(report: Report): void {
  const { partnerUrl, operatorUrl, database, knownPartner, firstAccountUrl } = report
  // If the supervisor is lost, Node would exit at once; main.ts lets the worker finish first.
  cluster.worker!.exitedAfterDisconnect = true
  // A terminal sends SIGHUP to all of its processes, but it is meant for the supervisor.
  process.on('SIGHUP', () => {})
  process.send!({ partnerUrl, operatorUrl, database, knownPartner, firstAccountUrl })
}

/**
 * In a worker: the ledger of the workers before it, in the schema that they found. A search_path that was changed since they
 * started would lead this one to another schema, and every order could be credited once more.
 */
export async function ledgerOfWorkers(database: DatabaseLocation): Promise<DatabaseLocation> {
  const text = givenEnvironment()[ledgerVariable]
  if (text === undefined || database.kind === 'sqlite') return database
  const theirs = JSON.parse(text)
  // Imported here, so that the supervisor does not load the driver.
  const { isSameDatabase } = await import('../stores/postgres/database-names.ts')
  if (!isSameDatabase(theirs.url, database.url))
    throw new ConfigError([
      'DATABASE_URL leads to another database than that of the workers that are serving, and an order could be credited in both: stop the server, then start it again',
    ])
  return { ...database, schema: theirs.schema }
}
