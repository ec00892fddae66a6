import type { Clock } from '../clock.ts'
import { nextStage } from './next-stage.ts'
import type { AccountId } from '../rules/cursor.ts'
import type { Outcome } from '../rules/decide-batch.ts'
import type { AwardCommand } from '../rules/entry.ts'
import { Admission } from './admission.ts'
import { type Commit, commitBatch, commitEach } from './commit-batch.ts'
import { type CommitMeasures, CommitTimes } from './commit-times.ts'
import { Deadlines } from './deadlines.ts'
import { Unavailable } from './errors.ts'
import { type Lane, Lanes, type NextCommit } from './lanes.ts'
import type { Ledger } from './ledger.ts'
import type { WaitingAward } from './waiting-award.ts'

/** A node's right to commit a batch next. Its `end` is always called, whether it was used or not. */
export type NodeTurn = { commit: Commit; end(): void }

/** What a store says about its commits. */
export type CommitParameters = {
  commit: Commit
  /** Awards of one lane never commit side by side, and those of a partner in it commit in the order in which they came. */
  laneOf(command: AwardCommand): string
  /** The group of the lane that this account opened. A commit takes lanes of one group. */
  groupOf(account: AccountId): string
  /** The most lanes in one commit. */
  lanesPerCommit: number
  /** Shared commits side by side, as many as make sense at the moment. */
  commitsMax(): number
  /** Beside them, commits of single lanes, half of them with the long lock wait. If it is 0, shared commits use the long lock wait. */
  commitsAloneMax: number
  /** When nodes compete for the same accounts, a shared commit waits for its turn before it takes its batch. */
  takesNodeTurns?(): boolean
  /** Null: commit without a turn. */
  takeNodeTurn?(): Promise<NodeTurn | null>
  /** Waits for a moment before a commit that follows another at once. */
  gather?(): Promise<void>
}

export type GroupCommitLimits = {
  queueMax: number
  partnerQueueMax: number
  batchMax: number
  deadlineMs: number
}

const defaultLimits: GroupCommitLimits = {
  queueMax: 8192,
  partnerQueueMax: 2048,
  batchMax: 512,
  deadlineMs: 5000,
}

/**
 * A replay with a large meta takes milliseconds to compare, while others wait for the commit; one with a small meta up to
 * a third of a millisecond, if the stored one is large. So they count as several awards of a batch, and so does a new award,
 * because nobody knows yet which it is.
 */
const awardsPerMeta = 4
const metaLengthPerAward = 256

/** What a commit took of a lane. */
type Taken = { lane: Lane; batch: WaitingAward[] }

/**
 * Group commit. An award that finds its lane idle is committed at once, without a timer; while a commit of its lane
 * runs, arrivals wait, and when it ends the waiting ones are the next batch. So an idle service adds no delay, and a
 * busy one pays one fsync for many awards. At most `commitsMax` shared commits run at a time; the other lanes wait
 * their turn, and the next commit takes as many of them as the store allows, all of one group.
 *
 * Where a commit costs much, whatever its size, the store lets one that follows another at once gather for a moment:
 * those who were just answered send their next awards, and fewer, larger batches take less time together.
 *
 * A shared commit that fails and has written nothing is taken apart from group to lane to award: each of its lanes
 * commits alone until it has got through (unless nodes crowd around the same accounts: then all of it is tried again),
 * and if a bug or damage fails that commit, too, each of its awards is tried by itself.
 *
 * Usually only a few of these lanes are locked. So each lane waits only briefly for locks at first. Those that have a lock
 * timeout again wait for long, but in half of the places at most: the other lanes always find one that is soon free.
 *
 * An award is *waiting*, then *committing*, then *answered*. Its deadline answers it in either of the first two: a
 * waiting one is then never committed; the outcome of a committing one is still unknown, and its replay finds out.
 */
export function groupCommit(
  {
    commit,
    laneOf,
    groupOf,
    lanesPerCommit,
    commitsMax,
    commitsAloneMax,
    takesNodeTurns = () => false,
    takeNodeTurn,
    gather,
  }: CommitParameters,
  clock: Clock,
  overrides: Partial<GroupCommitLimits> = {},
): Pick<Ledger, 'award' | 'close'> & { measured(): CommitMeasures } {
  const limits = { ...defaultLimits, ...overrides }
  const admission = new Admission(limits)
  const deadlines = new Deadlines(clock, limits.deadlineMs, leaveQueue)
  const lanes = new Lanes(groupOf)
  const commitTimes = new CommitTimes(clock)
  /** `alone` includes `locked`. */
  const running = { shared: 0, alone: 0, locked: 0 }
  const commitsLockedMax = Math.max(1, Math.floor(commitsAloneMax / 2))
  let starting = false
  let followsAnother = false
  let closed: PromiseWithResolvers<void> | undefined

  function award(command: AwardCommand): Promise<Outcome> {
    if (closed !== undefined) return Promise.reject(new Unavailable('the service is shutting down'))
    return new Promise((resolve, reject) => {
      const waiting: WaitingAward = {
        command,
        deadline: 0,
        place: null,
        inLane: null,
        inShare: null,
        resolve,
        reject,
      }
      const { admitted, displaced } = admission.admit(waiting)
      if (!admitted) return reject(new Unavailable('too many awards are waiting'))
      if (displaced !== null) {
        leaveLane(displaced)
        deadlines.reject(displaced, new Unavailable('too many awards of this partner are waiting'))
      }
      deadlines.watch(waiting)
      const name = laneOf(command)
      const lane = lanes.get(name) ?? lanes.open(name, accountOf(command))
      waiting.inLane = lane.queue.push(command.partnerId, waiting)
      lanes.becomeReady(lane)
      startCommits()
    })
  }

  /** The award's deadline has passed. If it still waits, it leaves the queue and is never committed. */
  function leaveQueue(award: WaitingAward): void {
    if (award.inLane === null) return
    leaveLane(award)
    admission.leave(award)
  }

  function leaveLane(award: WaitingAward): void {
    const { command, inLane } = award
    lanes.get(laneOf(command))!.queue.remove(command.partnerId, inLane!)
    award.inLane = null
  }

  function startCommits(): void {
    while (running.alone < commitsAloneMax) {
      // First, so that they have their turn however many others come: a lane may be free by now.
      const locked = running.locked < commitsLockedMax ? lanes.takeReadyLocked() : undefined
      const lane = locked ?? lanes.takeReadyAlone()
      if (lane === undefined) break
      void runAlone(lane)
    }
    // One after the other: each takes what is ready, and then there may be room for another.
    if (!starting && running.shared < commitsMax() && lanes.someAreReady) void runShared()
  }

  async function runShared(): Promise<void> {
    starting = true
    running.shared++
    // Awards that arrived in the same turn of the event loop share the batch.
    await nextStage
    if (followsAnother && gather !== undefined && admission.size < limits.batchMax) await gather()
    followsAnother = false
    const nodeTurn = takesNodeTurns() ? await takeNodeTurn!() : null
    deadlines.rejectOverdue()
    const lanesMax = Math.min(lanesPerCommit, limits.batchMax)
    const next = lanes.takeReady(lanesMax, (lane) => shareOf(lane, lanesMax))
    const taken = takeBatch(next)
    starting = false
    startCommits()
    const how = await commitShared(taken, nodeTurn)
    nodeTurn?.end()
    running.shared--
    for (const { lane } of taken) lanes.ended(lane, how)
    followsAnother = lanes.someAreReady
    goOn()
  }

  async function runAlone(lane: Lane): Promise<void> {
    const isLocked = lane.state === 'committing locked'
    running.alone++
    if (isLocked) running.locked++
    deadlines.rejectOverdue()
    const [taken] = takeBatch([lane]) as [Taken]
    const next = await commitAlone(taken, isLocked)
    running.alone--
    if (isLocked) running.locked--
    lanes.ended(lane, next)
    goOn()
  }

  function goOn(): void {
    startCommits()
    if (isIdle()) closed?.resolve()
  }

  /** As how many of the lanes of a commit it counts. */
  function shareOf({ queue }: Lane, lanesMax: number): number {
    const { first } = queue
    return first === undefined ? 1 : Math.max(1, (weightOf(first) * lanesMax) / limits.batchMax)
  }

  /** A fair share of each lane, one award at least; what one does not need is left to those after it. */
  function takeBatch(next: Lane[]): Taken[] {
    let room = limits.batchMax
    return next.map((lane, index) => {
      const share = Math.max(1, Math.floor(room / (next.length - index)))
      const batch = lane.queue.take(share, weightOf)
      for (const award of batch) {
        award.inLane = null
        admission.leave(award)
        room -= weightOf(award)
      }
      return { lane, batch }
    })
  }

  async function commitShared(taken: Taken[], nodeTurn: NodeTurn | null): Promise<NextCommit> {
    const batch = taken.flatMap(({ batch }) => batch)
    const lockWait = commitsAloneMax > 0 ? 'short' : 'long'
    const startedAt = commitTimes.start()
    const result = await commitBatch(nodeTurn?.commit ?? commit, deadlines, { batch, lockWait })
    commitTimes.end(startedAt, batch.length)
    if (result.kind === 'done' || result.kind === 'unavailable') return 'shared'
    if (result.kind === 'bug or damage' && taken.length === 1) {
      await commitEach(commit, deadlines, { batch, error: result.error })
      return 'shared'
    }
    for (const { lane, batch } of taken) putBack(lane, batch)
    return result.kind === 'lock timeout' && result.error.inCrowd ? 'shared' : 'alone'
  }

  /** Nothing of it was written: they wait again, before those that came later. */
  function putBack(lane: Lane, batch: WaitingAward[]): void {
    for (const award of batch.toReversed()) {
      if (award.place === null) continue
      admission.putBack(award)
      award.inLane = lane.queue.putBack(award.command.partnerId, award)
    }
  }

  async function commitAlone({ lane, batch }: Taken, isLocked: boolean): Promise<NextCommit> {
    const unchanged = isLocked ? 'locked' : 'alone'
    if (batch.length === 0) return unchanged
    const startedAt = commitTimes.start()
    const result = await commitBatch(commit, deadlines, { batch, lockWait: isLocked ? 'long' : 'brief' })
    commitTimes.end(startedAt, batch.length)
    if (result.kind === 'unavailable') return unchanged
    if (result.kind === 'lock timeout' && !isLocked) {
      putBack(lane, batch)
      return 'locked'
    }
    if ('error' in result) await commitEach(commit, deadlines, { batch, error: result.error })
    return 'shared'
  }

  function isIdle(): boolean {
    return deadlines.unanswered === 0 && running.shared + running.alone === 0
  }

  function close(): Promise<void> {
    closed ??= Promise.withResolvers()
    if (isIdle()) closed.resolve()
    return closed.promise
  }

  function measured(): CommitMeasures {
    return { waiting: admission.size, running: running.shared + running.alone, ...commitTimes.read() }
  }

  return { award, close, measured }
}

function weightOf({ command }: WaitingAward): number {
  return command.meta === null ? 1 : awardsPerMeta + Math.floor(command.meta.length / metaLengthPerAward)
}

function accountOf({ partnerId, tenantId }: AwardCommand): AccountId {
  return { partnerId, tenantId }
}
