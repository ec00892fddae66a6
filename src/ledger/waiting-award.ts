import type { Outcome } from '../rules/decide-batch.ts'
import type { AwardCommand } from '../rules/entry.ts'
import type { Place } from './waiting-line.ts'

/** An accepted award, from its arrival until it is answered. */
export type WaitingAward = {
  command: AwardCommand
  deadline: number
  /** Among the unanswered; null: it is answered. */
  place: Place<WaitingAward> | null
  resolve(outcome: Outcome): void
  reject(error: unknown): void
}
