import type { Outcome } from '../rules/decide-batch.ts'
import type { AwardCommand } from '../rules/entry.ts'
import type { Place } from '../shortcuts/waiting-line.ts'

/** An accepted award, from its arrival until it is answered. */
export type WaitingAward = {
  readonly command: AwardCommand
  deadline: number
  /** Among the unanswered; null: it is answered. */
  place: Place<WaitingAward> | null
  /** In its lane's queue and among those of its partner; null: a commit has taken it, or it has left. */
  inLane: Place<WaitingAward> | null
  inShare: Place<WaitingAward> | null
  resolve(outcome: Outcome): void
  reject(error: unknown): void
}
