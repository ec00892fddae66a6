import { strict as assert } from 'node:assert'
import type { Clock } from '../clock.ts'
import type { Outcome } from '../rules/decide-batch.ts'
import type { AwardCommand } from '../rules/entry.ts'
import { FairQueue } from './fair-queue.ts'
import { HeldUp, Unavailable } from './faults.ts'
import type { LedgerStore } from './ledger-store.ts'
import { type Place, WaitingLine } from './waiting-line.ts'

/**
 * Group commit without a timer. A lane is *idle*, *ready* or *committing*. An award that finds its lane idle is
 * committed at once; while a commit runs, arrivals wait, and when it ends the waiting ones are the next batch. So an
 * idle service adds no delay, and a busy one pays one fsync for many awards. At most `commitsMax` commits run at a
 * time; the other lanes wait their turn in the order in which they became ready, and the next commit takes as many of
 * them as the store allows.
 *
 * A commit that is held up, or of several lanes and fails, is taken apart: each of its lanes is *alone* until it has
 * got through. It then commits by itself, patiently and in a place that is not one of the others', so that the lane to
 * blame neither takes them with it again nor keeps them waiting.
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
  /** Among the unanswered; null: it is answered. */
  place: Place<Waiting> | null
  resolve(outcome: Outcome): void
  reject(fault: unknown): void
}

type Lane = {
  name: string
  queue: FairQueue<Waiting>
  committing: boolean
  alone: boolean
  /** Of the commit that was taken apart. They go first. */
  again: Waiting[]
}

/** What a commit took of a lane. */
type Taken = { lane: Lane; batch: Waiting[] }

export function createBatchWriter(
  store: LedgerStore,
  clock: Clock,
  limits: BatchWriterLimits = defaultLimits,
): BatchWriter {
  const lanes = new Map<string, Lane>()
  /** In the order in which they became ready. */
  const ready = new Set<Lane>()
  const readyAlone = new Set<Lane>()
  /** In the order of arrival, hence of deadlines. */
  const unanswered = new WaitingLine<Waiting>()
  /** How many awards of each partner wait, over all lanes. */
  const waitingOf = new Map<string, number>()
  let waitingCount = 0
  let commits = 0
  let commitsAlone = 0
  let starting = false
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
      const waiting: Waiting = { command, deadline, place: null, resolve, reject }
      waiting.place = unanswered.join(waiting)
      lane.queue.push(partnerId, waiting)
      waitingOf.set(partnerId, partnerWaiting + 1)
      waitingCount++
      watchDeadlines()
      if (!lane.committing) becomeReady(lane)
      startCommits()
    })
  }

  function laneFor(command: AwardCommand): Lane {
    const name = store.laneOf(command)
    const known = lanes.get(name)
    if (known !== undefined) return known
    const lane = { name, queue: new FairQueue<Waiting>(), committing: false, alone: false, again: [] }
    lanes.set(name, lane)
    return lane
  }

  function becomeReady(lane: Lane): void {
    if (lane.alone) readyAlone.add(lane)
    else ready.add(lane)
  }

  function startCommits(): void {
    for (const lane of readyAlone) {
      if (commitsAlone >= store.commitsAloneMax) break
      void runAlone(lane)
    }
    // One after the other: each takes what is ready, and then there may be room for another.
    if (!starting && ready.size > 0 && commits < store.commitsMax) void runNext()
  }

  async function runNext(): Promise<void> {
    starting = true
    commits++
    // Taken in a microtask of its own: awards that arrived in the same turn of the event loop share the batch.
    await Promise.resolve()
    const taken = takeBatch([...ready].slice(0, Math.min(store.lanesPerCommit, limits.batchMax)))
    starting = false
    startCommits()
    answerOverdue()
    await commitTogether(taken)
    commits--
    release(taken)
  }

  async function runAlone(lane: Lane): Promise<void> {
    commitsAlone++
    const [taken] = takeBatch([lane]) as [Taken]
    answerOverdue()
    await commitAlone(taken)
    commitsAlone--
    release([taken])
  }

  function release(taken: Taken[]): void {
    for (const { lane } of taken) {
      lane.committing = false
      if (lane.again.length + lane.queue.size > 0) becomeReady(lane)
      else lanes.delete(lane.name)
    }
    startCommits()
    if (isIdle()) closed?.resolve()
  }

  /** A fair share of each lane; what one does not need is left to those after it. */
  function takeBatch(next: Lane[]): Taken[] {
    let room = limits.batchMax
    return next.map((lane, index) => {
      ready.delete(lane)
      readyAlone.delete(lane)
      lane.committing = true
      const batch =
        lane.again.length > 0 ? lane.again : takeOf(lane, Math.floor(room / (next.length - index)))
      lane.again = []
      room -= batch.length
      return { lane, batch }
    })
  }

  function takeOf(lane: Lane, max: number): Waiting[] {
    const taken = lane.queue.take(max)
    waitingCount -= taken.length
    for (const { command } of taken) {
      const left = waitingOf.get(command.partnerId)! - 1
      if (left === 0) waitingOf.delete(command.partnerId)
      else waitingOf.set(command.partnerId, left)
    }
    return taken
  }

  async function commitTogether(taken: Taken[]): Promise<void> {
    const all = taken.flatMap(({ batch }) => batch)
    const fault = await tryCommit(all, { hasty: store.commitsAloneMax > 0 })
    if (fault === null || fault instanceof Unavailable) return
    if (taken.length === 1 && !(fault instanceof HeldUp)) return commitEach(all, fault)
    for (const { lane, batch } of taken) {
      lane.alone = true
      lane.again = batch.filter(({ place }) => place !== null)
    }
  }

  async function commitAlone({ lane, batch }: Taken): Promise<void> {
    const fault = await tryCommit(batch, { hasty: false })
    lane.alone = fault instanceof Unavailable
    if (fault !== null && !lane.alone) await commitEach(batch, fault)
  }

  /**
   * A bug that one command sets off must not take the others with it: nothing was written, so each is tried by itself,
   * unless its deadline has passed meanwhile.
   */
  async function commitEach(batch: Waiting[], fault: unknown): Promise<void> {
    for (const waiting of batch) {
      const own = batch.length === 1 ? fault : await tryCommit([waiting], { hasty: false })
      if (own !== null) answer(waiting, () => waiting.reject(own))
    }
  }

  /** Gives null or the fault. Answers everyone, unless nothing was written and one of them alone may be to blame. */
  async function tryCommit(batch: Waiting[], how: { hasty: boolean }): Promise<unknown> {
    const open = batch.filter(({ place }) => place !== null)
    if (open.length === 0) return null
    let outcomes: Outcome[]
    try {
      outcomes = await store.commit(
        open.map(({ command }) => command),
        how,
      )
    } catch (fault) {
      if (fault instanceof Unavailable) {
        for (const waiting of open) answer(waiting, () => waiting.reject(fault))
      }
      return fault
    }
    assert(outcomes.length === open.length, 'a store answers every command of a batch')
    for (const [index, outcome] of outcomes.entries()) {
      const waiting = open[index]!
      answer(waiting, () => waiting.resolve(outcome))
    }
    return null
  }

  function answer(waiting: Waiting, settle: () => void): void {
    if (waiting.place === null) return
    unanswered.leave(waiting.place)
    waiting.place = null
    settle()
  }

  function answerOverdue(): void {
    const now = clock.elapsed()
    for (let oldest = unanswered.first; oldest !== undefined && oldest.deadline <= now; ) {
      const { reject } = oldest
      answer(oldest, () => reject(new Unavailable('not made durable within the deadline')))
      oldest = unanswered.first
    }
  }

  /** One timer for the oldest award; the deadlines of the others are later. */
  function watchDeadlines(): void {
    const oldest = unanswered.first
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
    return unanswered.size === 0 && commits + commitsAlone === 0
  }

  function close(): Promise<void> {
    closed ??= Promise.withResolvers()
    if (isIdle()) closed.resolve()
    return closed.promise
  }

  return { award, close }
}
