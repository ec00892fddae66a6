import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import type { Clock } from '../../../clock.ts'
import type { Config } from '../../../config.ts'
import { errorForLog } from '../../../wire/request-log.ts'
import { cookieRulesOf } from '../../access/cookies.ts'
import { createPlaces, type Leave } from './places.ts'
import type { FromThread, NodeReadings, PassedRequest, PassedResponse, ToThread } from './messages.ts'

/** The API's thread, as the main thread sees it. */
export type ApiThread = {
  /** Throws `ThreadBusy` or `ThreadFailed`. */
  ask(request: Omit<PassedRequest, 'id'>): Promise<PassedResponse>
  close(): Promise<void>
}

/** Too many requests are waiting, or the thread has just ended. Nothing was done. */
export class ThreadBusy extends Error {}
/** There is no response in time, or the thread ended meanwhile. What the request changed is not known. */
export class ThreadFailed extends Error {}

/** The limits that tests shorten. */
export const usualLimits = {
  /** More would wait in vain: a thread handles one query after the other. */
  inFlightMax: 64,
  /** Of these: requests of one operator, with all sessions and tokens. A page of the console asks several at once. */
  perOperatorMax: 16,
  /** Of these: requests of those who are not known to be signed in. */
  strangersMax: 48,
  /** A page of the console asks several questions at once, before its session is known. */
  strangersPerAddressMax: 16,
  /** Longer than the slowest change: half a minute for the locks of its own, and then a minute for those of accounts. */
  deadlineMs: 100_000,
  /** A thread that cannot start is not started by every request. */
  restartMs: 1_000,
}
/** Reports and lists are bounded. What exceeds this anyway ends the thread, and not the service. */
const heapMaxMb = 512
const closeMaxMs = 2_000

type Waiting = { resolve(response: PassedResponse): void; reject(error: Error): void; timer: NodeJS.Timeout }

type Occupying = { since: number; leave: Leave }

type ThreadParts = {
  config: Config
  clock: Clock
  log: Logger
  readings(): Promise<NodeReadings>
  program?: URL
  limits?: Partial<typeof usualLimits>
}

/**
 * Its states: *not started*, until the first request; *running*; *ended*, if it failed, until the next request a second
 * later starts another one; *closed*. The main thread only passes bytes on: every query of the API runs in the thread, so
 * that no award waits for it.
 */
export function createApiThread({
  config,
  clock,
  log,
  readings,
  program = new URL('./run-api.ts', import.meta.url),
  limits,
}: ThreadParts): ApiThread {
  const { deadlineMs, restartMs, ...placeLimits } = { ...usualLimits, ...limits }
  const places = createPlaces(placeLimits, cookieRulesOf(config))
  let worker: Worker | null = null
  let endedAt = Number.NEGATIVE_INFINITY
  let closing = false
  let lastId = 0
  const waiting = new Map<number, Waiting>()
  /** Requests whose deadline has passed still occupy the thread. */
  const occupying = new Map<number, Occupying>()

  function start(): Worker {
    const started = newWorker()
    started.on('message', (message: FromThread) => onMessage(started, message))
    started.on('error', (error) =>
      log.error({ err: errorForLog(error) }, 'the thread of the operator API failed'),
    )
    started.on('exit', () => onExit(started))
    // A server that stops does not wait for it.
    started.unref()
    return started
  }

  /** Throws `ThreadBusy` if the process may have no more threads now. */
  function newWorker(): Worker {
    try {
      return new Worker(program, {
        workerData: config,
        resourceLimits: { maxOldGenerationSizeMb: heapMaxMb },
      })
    } catch (error) {
      endedAt = clock.elapsed()
      log.error({ err: errorForLog(error) }, 'the thread of the operator API cannot be started')
      throw new ThreadBusy('the operator API cannot be started at the moment')
    }
  }

  function onMessage(from: Worker, message: FromThread): void {
    switch (message.kind) {
      case 'response': {
        const { id } = message.response
        occupying.get(id)?.leave(message.response)
        occupying.delete(id)
        settle(id)?.resolve(message.response)
        return
      }
      case 'readings':
        void readings()
          .catch(() => null)
          .then((read) => send(from, { kind: 'readings', id: message.id, readings: read }))
        return
      case 'log':
        log[message.level](message.fields, message.message)
    }
  }

  /** A thread in which requests stay forever would in the end take none. Another one is started instead. */
  function endIfStuck(): void {
    const [oldest] = occupying.values()
    if (oldest !== undefined && clock.elapsed() - oldest.since > 2 * deadlineMs) void worker?.terminate()
  }

  function settle(id: number): Waiting | undefined {
    const found = waiting.get(id)
    waiting.delete(id)
    clearTimeout(found?.timer)
    return found
  }

  function onExit(ended: Worker): void {
    if (worker !== ended) return
    worker = null
    endedAt = clock.elapsed()
    for (const { leave } of occupying.values()) leave(null)
    occupying.clear()
    if (!closing) log.error('the thread of the operator API ended: the next request starts another one')
    for (const id of [...waiting.keys()])
      settle(id)?.reject(new ThreadFailed('the operator API failed while it handled the request'))
  }

  return {
    ask(request) {
      return new Promise((resolve, reject) => {
        if (closing) throw new ThreadBusy('the service is shutting down')
        if (worker === null && clock.elapsed() - endedAt < restartMs)
          throw new ThreadBusy('the operator API is being started again')
        // It may throw: so before a place is taken.
        worker ??= start()
        const leave = places.take(request)
        if (leave === null) {
          endIfStuck()
          throw new ThreadBusy('too many requests are waiting')
        }
        const id = ++lastId
        const timer = setTimeout(
          () => settle(id)?.reject(new ThreadFailed(`there was no response within ${deadlineMs / 1000} s`)),
          deadlineMs,
        )
        waiting.set(id, { resolve, reject, timer })
        occupying.set(id, { since: clock.elapsed(), leave })
        send(worker, { kind: 'request', request: { ...request, id } })
      })
    },
    async close() {
      closing = true
      const ending = worker
      if (ending === null) return
      ending.ref()
      const ended = new Promise<void>((resolve) => ending.once('exit', () => resolve()))
      send(ending, { kind: 'close' })
      const late = setTimeout(() => void ending.terminate(), closeMaxMs)
      await ended
      clearTimeout(late)
    },
  }
}

function send(worker: Worker, message: ToThread): void {
  worker.postMessage(message)
}
