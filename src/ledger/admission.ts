import type { WaitingAward } from './waiting-award.ts'

export type AdmissionLimits = { queueMax: number; partnerQueueMax: number }

/**
 * Who may wait. Counts the awards that wait for a commit, over all lanes. A partner may hold a part of the queue:
 * whoever floods is turned away while the others still find room.
 */
export class Admission {
  readonly #limits: AdmissionLimits
  readonly #waitingOf = new Map<string, number>()
  #waiting = 0

  constructor(limits: AdmissionLimits) {
    this.#limits = limits
  }

  /** False: there is no room, and nothing was counted. */
  admit(partnerId: string): boolean {
    const { queueMax, partnerQueueMax } = this.#limits
    const own = this.#waitingOf.get(partnerId) ?? 0
    if (this.#waiting >= queueMax || own >= partnerQueueMax) return false
    this.#waitingOf.set(partnerId, own + 1)
    this.#waiting++
    return true
  }

  /** These wait no longer: a commit has taken them. */
  leave(taken: WaitingAward[]): void {
    this.#waiting -= taken.length
    for (const { command } of taken) {
      const left = this.#waitingOf.get(command.partnerId)! - 1
      if (left === 0) this.#waitingOf.delete(command.partnerId)
      else this.#waitingOf.set(command.partnerId, left)
    }
  }
}
