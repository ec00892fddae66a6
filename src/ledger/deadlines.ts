import type { Clock } from '../clock.ts'
import type { Outcome } from '../rules/decide-batch.ts'
import { Unavailable } from './errors.ts'
import type { WaitingAward } from './waiting-award.ts'
import { WaitingLine } from '../shortcuts/waiting-line.ts'

/**
 * All unanswered awards, in the order of arrival and hence of their deadlines. Every award is answered through here,
 * once: by its commit, by a failure, or by its deadline, whichever is first.
 */
export class Deadlines {
  readonly #clock: Clock
  readonly #deadlineMs: number
  readonly #onOverdue: (award: WaitingAward) => void
  readonly #unanswered = new WaitingLine<WaitingAward>()
  #timer: NodeJS.Timeout | undefined

  /** `onOverdue` is called for each award whose deadline passes. */
  constructor(clock: Clock, deadlineMs: number, onOverdue: (award: WaitingAward) => void) {
    this.#clock = clock
    this.#deadlineMs = deadlineMs
    this.#onOverdue = onOverdue
  }

  get unanswered(): number {
    return this.#unanswered.size
  }

  /** From now on its time runs. */
  watch(award: WaitingAward): void {
    award.deadline = this.#clock.elapsed() + this.#deadlineMs
    award.place = this.#unanswered.join(award)
    this.#setTimer()
  }

  resolve(award: WaitingAward, outcome: Outcome): void {
    if (this.#leave(award)) award.resolve(outcome)
  }

  reject(award: WaitingAward, error: unknown): void {
    if (this.#leave(award)) award.reject(error)
  }

  rejectOverdue(): void {
    const now = this.#clock.elapsed()
    for (let oldest = this.#unanswered.first; oldest !== undefined && oldest.deadline <= now; ) {
      this.#onOverdue(oldest)
      this.reject(oldest, new Unavailable('not confirmed as durable within the deadline'))
      oldest = this.#unanswered.first
    }
  }

  /** Whether it was still unanswered. */
  #leave(award: WaitingAward): boolean {
    if (award.place === null) return false
    this.#unanswered.leave(award.place)
    award.place = null
    return true
  }

  /** One timer for the oldest award; the deadlines of the others are later. */
  #setTimer(): void {
    const oldest = this.#unanswered.first
    if (oldest === undefined || this.#timer !== undefined) return
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined
        this.rejectOverdue()
        this.#setTimer()
      },
      Math.max(1, Math.ceil(oldest.deadline - this.#clock.elapsed())),
    )
    this.#timer.unref()
  }
}
