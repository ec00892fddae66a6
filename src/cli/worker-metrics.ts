import type { Worker } from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import { Unavailable } from '../ledger/errors.ts'
import type { Metric, OtherProcesses } from '../serve.ts'

/**
 * Any worker can be scraped, and gives the sum of all. It sends its own counts to the supervisor, which asks the other
 * workers for theirs and sends these back.
 */
type ToSupervisor = { wantsOthers: number; own: Metric[] } | { countsFor: number; own: Metric[] }
type ToWorker = { giveCountsFor: number } | { others: Metric[][]; wantedIn: number }

/** A worker that does not respond in this time is counted as it was when it last did. */
const workerMaxMs = 500
const supervisorMaxMs = 1_000

/** The supervisor's side. */
export function shareMetrics(): { join(worker: Worker): void; leave(worker: Worker): void } {
  /** Null: it has not been asked yet. */
  const latest = new Map<Worker, Metric[] | null>()
  const waiting = new Map<number, (worker: Worker) => void>()
  /** What workers that are gone had counted: without it the sums would fall, and Prometheus takes that for a restart. */
  let gone: Metric[][] = []
  let asks = 0

  async function countsOfOthers(asker: Worker): Promise<Metric[][]> {
    const others = [...latest.keys()].filter((worker) => worker !== asker && worker.isConnected())
    const unanswered = new Set(others)
    const ask = ++asks
    const { promise: allAnswered, resolve } = Promise.withResolvers<void>()
    waiting.set(ask, (worker) => {
      unanswered.delete(worker)
      if (unanswered.size === 0) resolve()
    })
    for (const worker of others) send(worker, { giveCountsFor: ask })
    if (others.length > 0) await Promise.race([allAnswered, sleep(workerMaxMs)])
    waiting.delete(ask)
    if (gone.length > 1) gone = [await sumOf(gone)]
    const present = [...latest].filter(([worker]) => worker !== asker).map(([, counts]) => counts)
    return [...gone, ...present.filter((counts) => counts !== null)]
  }

  return {
    join(worker) {
      latest.set(worker, null)
      worker.on('message', (message: ToSupervisor | unknown) => {
        if (!isToSupervisor(message) || !latest.has(worker)) return
        latest.set(worker, message.own)
        if ('countsFor' in message) waiting.get(message.countsFor)?.(worker)
        else
          void countsOfOthers(worker).then((others) =>
            send(worker, { others, wantedIn: message.wantsOthers }),
          )
      })
    },
    leave(worker) {
      const counts = latest.get(worker)
      latest.delete(worker)
      // A gauge says what is now, and a worker that is gone has nothing now.
      if (counts) gone.push(counts.filter(({ type }) => type !== 'gauge'))
    },
  }
}

function isToSupervisor(message: unknown): message is ToSupervisor {
  return typeof message === 'object' && message !== null && 'own' in message
}

function send(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, () => {}) // one that has just died is detected by its exit
}

async function sumOf(metrics: Metric[][]): Promise<Metric[]> {
  const { AggregatorRegistry } = (await import('prom-client')).default
  return (await AggregatorRegistry.aggregate(metrics).getMetricsAsJSON()) as unknown as Metric[]
}

/** A worker's side. */
export function askSupervisor(): { others: OtherProcesses; giveCounts(counted: () => Metric[]): void } {
  const waiting = new Map<number, (others: Metric[][]) => void>()
  let asks = 0
  let counted: (() => Metric[]) | null = null

  process.on('message', (message: ToWorker | unknown) => {
    if (typeof message !== 'object' || message === null) return
    if ('giveCountsFor' in message) {
      const answer = { countsFor: message.giveCountsFor, own: counted?.() ?? [] }
      process.send!(answer, () => {})
    } else if ('others' in message) {
      const { others, wantedIn } = message as Extract<ToWorker, { others: unknown }>
      waiting.get(wantedIn)?.(others)
    }
  })

  return {
    async others(own) {
      const ask = ++asks
      const { promise, resolve } = Promise.withResolvers<Metric[][]>()
      waiting.set(ask, resolve)
      try {
        process.send!({ wantsOthers: ask, own } satisfies ToSupervisor, () => {})
        // A failed scrape is better than sums without the other workers.
        const late = sleep(supervisorMaxMs, null, { ref: false })
        const others = await Promise.race([promise, late])
        if (others === null) throw new Unavailable('the supervisor of the workers does not respond')
        return others
      } finally {
        waiting.delete(ask)
      }
    },
    giveCounts(source) {
      counted = source
    },
  }
}
