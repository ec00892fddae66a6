import type { Clock } from '../clock.ts'
import { FairQueue } from './fair-queue.ts'
import { Unavailable } from './errors.ts'
import type { PageQuery } from './ledger.ts'
import { type Place, WaitingLine } from '../shortcuts/waiting-line.ts'

/**
 * Pages of history wait here, and a store reads only a few at a time: so partners are served in turn even while one floods.
 *
 * A page is *waiting*, then *being read*, then *answered*. Its deadline answers it in either of the first two; a
 * waiting one is then never read.
 */
type HistoryQueue = {
  page(query: PageQuery): Promise<string>
  /** Takes no more and resolves when all accepted pages are answered. */
  close(): Promise<void>
}

export type HistoryQueueLimits = { readsMax: number; queueMax?: number; deadlineMs?: number }

type Waiting = {
  query: PageQuery
  deadline: number
  /** Among the unanswered; null: it is answered. */
  place: Place<Waiting> | null
  resolve(page: string): void
  reject(error: unknown): void
}

export function createHistoryQueue(
  read: (query: PageQuery) => Promise<string>,
  clock: Clock,
  { readsMax, queueMax = 2_048, deadlineMs = 5_000 }: HistoryQueueLimits,
): HistoryQueue {
  const queue = new FairQueue<Waiting>()
  /** In the order of arrival, hence of deadlines. */
  const unanswered = new WaitingLine<Waiting>()
  /** Of each partner, how many pages are in the queue. */
  const waitingOf = new Map<string, number>()
  let reads = 0
  let closed: PromiseWithResolvers<void> | undefined
  let deadlineTimer: NodeJS.Timeout | undefined

  function page(query: PageQuery): Promise<string> {
    if (closed !== undefined) return Promise.reject(new Unavailable('the service is shutting down'))
    const { partnerId } = query
    const waiting = waitingOf.get(partnerId) ?? 0
    // A partner may fill as much as is left to all the others. However many partners flood, there is always room left.
    if (waiting >= queueMax - queue.size) {
      return Promise.reject(new Unavailable('too many history requests are waiting'))
    }
    return new Promise((resolve, reject) => {
      const item: Waiting = { query, deadline: clock.elapsed() + deadlineMs, place: null, resolve, reject }
      item.place = unanswered.join(item)
      queue.push(partnerId, item)
      waitingOf.set(partnerId, waiting + 1)
      watchDeadlines()
      startReads()
    })
  }

  function startReads(): void {
    while (reads < readsMax && queue.size > 0) {
      const [next] = queue.take(1) as [Waiting]
      const { partnerId } = next.query
      const left = waitingOf.get(partnerId)! - 1
      if (left === 0) waitingOf.delete(partnerId)
      else waitingOf.set(partnerId, left)
      if (next.place !== null) void readNow(next)
    }
  }

  async function readNow(item: Waiting): Promise<void> {
    reads++
    try {
      const text = await read(item.query)
      answer(item, () => item.resolve(text))
    } catch (error) {
      answer(item, () => item.reject(error))
    }
    reads--
    startReads()
    if (isIdle()) closed?.resolve()
  }

  function answer(item: Waiting, settle: () => void): void {
    if (item.place === null) return
    unanswered.leave(item.place)
    item.place = null
    settle()
  }

  function answerOverdue(): void {
    const now = clock.elapsed()
    for (let oldest = unanswered.first; oldest !== undefined && oldest.deadline <= now; ) {
      const { reject } = oldest
      answer(oldest, () => reject(new Unavailable('not read within the deadline')))
      oldest = unanswered.first
    }
    if (isIdle()) closed?.resolve()
  }

  /** One timer for the oldest page; the deadlines of the others are later. */
  function watchDeadlines(): void {
    const oldest = unanswered.first
    if (oldest === undefined || deadlineTimer !== undefined) return
    deadlineTimer = setTimeout(
      () => {
        deadlineTimer = undefined
        answerOverdue()
        watchDeadlines()
      },
      Math.max(1, Math.ceil(oldest.deadline - clock.elapsed())),
    )
    deadlineTimer.unref()
  }

  function isIdle(): boolean {
    return unanswered.size === 0
  }

  function close(): Promise<void> {
    closed ??= Promise.withResolvers()
    if (isIdle()) closed.resolve()
    return closed.promise
  }

  return { page, close }
}
