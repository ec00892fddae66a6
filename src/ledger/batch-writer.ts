import { strict as assert } from 'node:assert'
import type { Clock } from '../clock.ts'
import type { Outcome } from '../rules/decide-batch.ts'
import type { AwardCommand } from '../rules/entry.ts'
import { FairQueue } from './fair-queue.ts'
import { Unavailable } from './faults.ts'
import type { LedgerStore } from './ledger-store.ts'

/**
 * Group commit without a timer. A lane is *idle* or *committing*. An award that finds its lane idle is committed at
 * once; while a commit runs, arrivals wait, and when it ends the waiting ones are the next batch. So an idle
 * service adds no delay, and a busy one pays one fsync for many awards. At most `lanesMax` lanes commit at a time;
 * the others wait their turn in the order in which they became ready.
 *
 * An award is *waiting*, then *committing*, then *answered*. Its deadline answers it in either of the first two: a
 * waiting one is then never committed; of a committing one nobody knows yet, and its replay will find out.
 */
export type BatchWriter = {
  award(command: AwardCommand): Promise<Outcome>
  /** Takes no more awards and resolves when all accepted ones are answered. */
  close(): Promise<void>
}

export type BatchWriterLimits = {
  queueMax: number
  partnerQueueMax: number
  batchMax: number
  deadlineMs: number
}

/** A partner may hold a quarter of the queue: whoever floods is turned away while the others still find room. */
export const defaultLimits: BatchWriterLimits = {
  queueMax: 8192,
  partnerQueueMax: 2048,
  batchMax: 512,
  deadlineMs: 5000,
}

type Waiting = {
  command: AwardCommand
  deadline: number
  answered: boolean
  resolve(outcome: Outcome): void
  reject(fault: unknown): void
}

type Lane = { name: string; queue: FairQueue<Waiting>; committing: boolean }

export function createBatchWriter(
  store: LedgerStore,
  clock: Clock,
  limits: BatchWriterLimits = defaultLimits,
): BatchWriter {
  const lanes = new Map<string, Lane>()
  const ready = new Set<Lane>()
  /** In the order of arrival, hence of deadlines. */
  const unanswered = new Set<Waiting>()
  /** How many awards of each partner wait, over all lanes. */
  const waitingOf = new Map<string, number>()
  let waitingCount = 0
  let committingLanes = 0
  let closed: PromiseWithResolvers<void> | undefined
  let deadlineTimer: NodeJS.Timeout | undefined

  function award(command: AwardCommand): Promise<Outcome> {
    if (closed !== undefined) return Promise.reject(new Unavailable('the service is shutting down'))
    const { partnerId } = command
    const partnerWaiting = waitingOf.get(partnerId) ?? 0
    if (waitingCount >= limits.queueMax || partnerWaiting >= limits.partnerQueueMax) {
      return Promise.reject(new Unavailable('too many awards are waiting'))
    }
    const lane = laneFor(command)
    return new Promise((resolve, reject) => {
      const deadline = clock.elapsed() + limits.deadlineMs
      const waiting = { command, deadline, answered: false, resolve, reject }
      unanswered.add(waiting)
      lane.queue.push(partnerId, waiting)
      waitingOf.set(partnerId, partnerWaiting + 1)
      waitingCount++
      watchDeadlines()
      if (!lane.committing) ready.add(lane)
      startLanes()
    })
  }

  function laneFor(command: AwardCommand): Lane {
    const name = store.laneOf(command)
    const known = lanes.get(name)
    if (known !== undefined) return known
    const lane = { name, queue: new FairQueue<Waiting>(), committing: false }
    lanes.set(name, lane)
    return lane
  }

  function startLanes(): void {
    for (const lane of ready) {
      if (committingLanes >= store.lanesMax) return
      ready.delete(lane)
      void runLane(lane)
    }
  }

  async function runLane(lane: Lane): Promise<void> {
    lane.committing = true
    committingLanes++
    // Taken in a microtask of its own: awards that arrived in the same turn of the event loop share the batch.
    await Promise.resolve()
    const taken = takeBatch(lane)
    answerOverdue()
    await commit(taken.filter(({ answered }) => !answered))
    committingLanes--
    lane.committing = false
    if (lane.queue.size > 0) ready.add(lane)
    else lanes.delete(lane.name)
    startLanes()
    if (isIdle()) closed?.resolve()
  }

  function takeBatch(lane: Lane): Waiting[] {
    const taken = lane.queue.take(limits.batchMax)
    waitingCount -= taken.length
    for (const { command } of taken) {
      const left = waitingOf.get(command.partnerId)! - 1
      if (left === 0) waitingOf.delete(command.partnerId)
      else waitingOf.set(command.partnerId, left)
    }
    return taken
  }

  async function commit(batch: Waiting[]): Promise<void> {
    if (batch.length === 0) return
    let outcomes: Outcome[]
    try {
      outcomes = await store.commit(batch.map(({ command }) => command))
    } catch (fault) {
      // A bug that one command sets off must not take the others with it: nothing was written, so each is tried
      // alone, unless its deadline has passed meanwhile.
      if (batch.length > 1 && !(fault instanceof Unavailable)) {
        for (const waiting of batch) if (!waiting.answered) await commit([waiting])
        return
      }
      for (const waiting of batch) answer(waiting, () => waiting.reject(fault))
      return
    }
    assert(outcomes.length === batch.length, 'a store answers every command of a batch')
    for (const [index, outcome] of outcomes.entries()) {
      const waiting = batch[index]!
      answer(waiting, () => waiting.resolve(outcome))
    }
  }

  function answer(waiting: Waiting, settle: () => void): void {
    if (waiting.answered) return
    waiting.answered = true
    unanswered.delete(waiting)
    settle()
  }

  function answerOverdue(): void {
    const now = clock.elapsed()
    for (const waiting of unanswered) {
      if (waiting.deadline > now) break
      answer(waiting, () => waiting.reject(new Unavailable('not made durable within the deadline')))
    }
  }

  /** One timer for the oldest award; the deadlines of the others are later. */
  function watchDeadlines(): void {
    const [oldest] = unanswered
    if (oldest === undefined || deadlineTimer !== undefined) return
    deadlineTimer = setTimeout(
      () => {
        deadlineTimer = undefined
        answerOverdue()
        watchDeadlines()
      },
      Math.ceil(oldest.deadline - clock.elapsed()),
    )
    deadlineTimer.unref()
  }

  function isIdle(): boolean {
    return unanswered.size === 0 && committingLanes === 0
  }

  function close(): Promise<void> {
    closed ??= Promise.withResolvers()
    if (isIdle()) closed.resolve()
    return closed.promise
  }

  return { award, close }
}
