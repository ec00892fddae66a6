import type { Clock } from '../../clock.ts'

/**
 * Whether this node's accounts are crowded: batches of other nodes queue for the same row locks. That queue moves, and a
 * batch that leaves it after a lock timeout only rejoins at the end, in smaller pieces. So in a crowd nodes take turns
 * (turns.ts), with one shared batch at a time: two in parallel would only make the queue longer.
 *
 * The other cause of a lock timeout is a single row that is locked for long. Then its account is retried alone, and the
 * others without it. Two signs distinguish the causes: whether recent batches had to wait and, for batches in their
 * turn, whether it happens twice in a row. A node that was idle asks the database how many sessions are waiting.
 */
export type Crowd = {
  isCrowded(): boolean
  /** A batch was committed: how long it waited for its turn and its locks, and how long it took to write and commit. */
  gotThrough(took: { lockMs: number; writeMs: number }): void
  /** A shared batch had a lock timeout. Returns whether a crowd may be the cause. */
  timedOut(how: { inTurn: boolean }): Promise<boolean>
}

/** A shorter wait does not matter. */
const crowdedMs = 100
/** Older observations are ignored. */
const rememberedMs = 5_000
/** A shorter queue causes no lock timeout, unless each of its batches holds its locks for very long. */
const queueMin = 8

/** `countWaiting` says how many sessions wait for a lock at the moment. */
export function createCrowd(clock: Clock, countWaiting: () => Promise<number>): Crowd {
  let crowded = false
  let seenAt = Number.NEGATIVE_INFINITY
  let timeoutsInTurn = 0
  const isRecent = () => clock.elapsed() - seenAt <= rememberedMs
  return {
    isCrowded: () => crowded && isRecent(),
    gotThrough({ lockMs, writeMs }) {
      crowded = lockMs > Math.max(crowdedMs, 3 * writeMs)
      seenAt = clock.elapsed()
      timeoutsInTurn = 0
    },
    async timedOut({ inTurn }) {
      if (inTurn) return ++timeoutsInTurn === 1
      if (!isRecent()) crowded = (await countWaiting().catch(() => 0)) >= queueMin
      seenAt = clock.elapsed()
      return crowded
    },
  }
}
