import type { WaitingAward } from './waiting-award.ts'
import { type Place, WaitingLine } from '../shortcuts/waiting-line.ts'

type AdmissionLimits = { queueMax: number; partnerQueueMax: number }

/** `displaced` had to leave for the one that was admitted. */
type Admitted = { admitted: boolean; displaced: WaitingAward | null }

/** What one partner holds of the queue, over all its lanes, in the order of arrival. */
type Share = { waiting: WaitingLine<WaitingAward>; level: Place<Share> | null }

const refused: Admitted = { admitted: false, displaced: null }
const admitted: Admitted = { admitted: true, displaced: null }

/**
 * Who may wait for a commit. The queue is bounded, and so is a partner's part of it. When the queue is full, a newcomer
 * displaces the newest award of the partner that holds the most, provided that this partner still holds at least as
 * many as the newcomer's own. So no partner is refused while another one holds more, however many partners flood.
 *
 * Shares are kept by their size, as lines of partners that hold equally many; a share moves one line up or down when an
 * award comes or goes, and the largest is always at hand. Every step takes the same time at any number of partners.
 */
export class Admission {
  readonly #limits: AdmissionLimits
  readonly #shares = new Map<string, Share>()
  /** At n: the shares of n awards. */
  readonly #levels: WaitingLine<Share>[] = [new WaitingLine()]
  #most = 0
  #size = 0

  constructor(limits: AdmissionLimits) {
    this.#limits = limits
  }

  /** How many wait. */
  get size(): number {
    return this.#size
  }

  admit(award: WaitingAward): Admitted {
    const { queueMax, partnerQueueMax } = this.#limits
    const { partnerId } = award.command
    const known = this.#shares.get(partnerId)
    const own = known === undefined ? 0 : known.waiting.size
    if (own >= partnerQueueMax) return refused
    const isFull = this.#size >= queueMax
    if (isFull && this.#most <= own + 1) return refused
    const displaced = isFull ? this.#levels[this.#most]!.first!.waiting.last! : null
    if (displaced !== null) this.leave(displaced)
    const share = known ?? this.#newShare(partnerId)
    award.inShare = share.waiting.join(award)
    this.#grown(share)
    return displaced === null ? admitted : { admitted: true, displaced }
  }

  /** It waits no longer. */
  leave(award: WaitingAward): void {
    const { partnerId } = award.command
    const share = this.#shares.get(partnerId)!
    share.waiting.leave(award.inShare!)
    award.inShare = null
    this.#shrunk(share)
    if (share.waiting.size > 0) return
    this.#levels[0]!.leave(share.level!)
    this.#shares.delete(partnerId)
  }

  /** A commit had taken it, and it waits again: as the oldest of its partner, also where the queue is full. */
  putBack(award: WaitingAward): void {
    const { partnerId } = award.command
    const share = this.#shares.get(partnerId) ?? this.#newShare(partnerId)
    award.inShare = share.waiting.joinFirst(award)
    this.#grown(share)
  }

  #newShare(partnerId: string): Share {
    const share: Share = { waiting: new WaitingLine(), level: null }
    share.level = this.#levels[0]!.join(share)
    this.#shares.set(partnerId, share)
    return share
  }

  #grown({ waiting, level }: Share): void {
    const { size } = waiting
    this.#size++
    this.#levels[size - 1]!.leave(level!)
    if (size === this.#levels.length) this.#levels.push(new WaitingLine())
    this.#levels[size]!.rejoin(level!)
    if (size > this.#most) this.#most = size
  }

  #shrunk({ waiting, level }: Share): void {
    const { size } = waiting
    this.#size--
    const left = this.#levels[size + 1]!
    left.leave(level!)
    this.#levels[size]!.rejoin(level!)
    if (this.#most === size + 1 && left.size === 0) this.#most = size
  }
}
