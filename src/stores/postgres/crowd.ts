import type { Clock } from '../../clock.ts'

/**
 * Whether the accounts of this node are crowded: batches of other nodes are in line for the same rows. That line moves,
 * and a batch that leaves it after a lock timeout only joins it again at its end, in smaller pieces. So in a crowd a
 * node takes turns (turns.ts), with one shared batch at a time: two side by side only make the line longer.
 *
 * The other reason for a lock timeout is that somebody holds a single row for long. Then its account is to be tried
 * alone, and the others without it. What tells the two apart is whether batches had to wait lately, and, for those in
 * their turn, whether it happens twice in a row.
 */
export type Crowd = {
  isCrowded(): boolean
  /** A batch got through: so long it waited for its turn and its locks, so long it took to write and commit. */
  gotThrough(took: { lockMs: number; writeMs: number }): void
  /** A shared batch waited for a lock in vain. Says whether that may be because of a crowd. */
  timedOut(how: { inTurn: boolean }): boolean
}

/** Below this, a line is too short to matter. */
const crowdedMs = 100
/** What was seen longer ago says nothing about now. */
const rememberedMs = 5_000

export function createCrowd(clock: Clock): Crowd {
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
    timedOut({ inTurn }) {
      if (inTurn) return ++timeoutsInTurn === 1
      if (!isRecent()) crowded = true
      seenAt = clock.elapsed()
      return crowded
    },
  }
}
