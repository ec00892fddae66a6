import { strict as assert } from 'node:assert'
import type { AccountId } from '../rules/cursor.ts'
import { FairQueue } from './fair-queue.ts'
import type { WaitingAward } from './waiting-award.ts'

/**
 * A lane is *idle* (nothing waits, nothing runs), *ready* (awards wait for a place in a shared commit) or *committing*.
 * After a commit that was taken apart it is *ready alone* and then *committing alone* until it has got through: it
 * commits by itself, so that it neither takes others with it again nor keeps them waiting.
 *
 *     idle → ready → committing → idle | ready | ready alone
 *     ready alone → committing alone → idle | ready | ready alone
 */
type LaneState = 'idle' | 'ready' | 'committing' | 'ready alone' | 'committing alone'

export type Lane = {
  readonly name: string
  /** The account whose award opened it. It takes this partner's turn, also if partners share the lane. */
  readonly opener: AccountId
  state: LaneState
  readonly queue: FairQueue<WaitingAward>
}

/** The lanes that are not idle, and the order in which the ready ones have their turn. */
export class Lanes {
  readonly #busy = new Map<string, Lane>()
  /**
   * The ready lanes of each group that has some. Groups take turns, and within a group partners do: one with thousands
   * of tenants, and hence lanes, does not keep the others waiting.
   */
  readonly #ready = new Map<string, FairQueue<Lane>>()
  readonly #readyAlone = new Set<Lane>()
  readonly #groupOf: (account: AccountId) => string

  constructor(groupOf: (account: AccountId) => string) {
    this.#groupOf = groupOf
  }

  get(name: string): Lane | undefined {
    return this.#busy.get(name)
  }

  /** A lane that was idle until now. */
  open(name: string, opener: AccountId): Lane {
    const lane: Lane = { name, opener, state: 'idle', queue: new FairQueue() }
    this.#busy.set(name, lane)
    return lane
  }

  /** Awards wait in it. Its group is asked for each time, because a store may learn it late, or it may change. */
  becomeReady(lane: Lane): void {
    if (lane.state !== 'idle') return
    lane.state = 'ready'
    const name = this.#groupOf(lane.opener)
    let group = this.#ready.get(name)
    if (group === undefined) {
      group = new FairQueue()
      this.#ready.set(name, group)
    }
    group.push(lane.opener.partnerId, lane)
  }

  get someAreReady(): boolean {
    return this.#ready.size > 0
  }

  /** The next ready lanes of one group. They are committing now. */
  takeReady(lanesMax: number): Lane[] {
    const [next] = this.#ready
    if (next === undefined) return []
    const [name, group] = next
    const taken = group.take(lanesMax)
    for (const lane of taken) lane.state = 'committing'
    // The other groups have their turn before the rest of this one.
    this.#ready.delete(name)
    if (group.size > 0) this.#ready.set(name, group)
    return taken
  }

  /** The lane that has been ready alone for longest. It is committing now. */
  takeReadyAlone(): Lane | undefined {
    const [lane] = this.#readyAlone
    if (lane === undefined) return undefined
    this.#readyAlone.delete(lane)
    lane.state = 'committing alone'
    return lane
  }

  /** Its commit has ended. `alone`: it has not got through, and has to go by itself. */
  ended(lane: Lane, { alone }: { alone: boolean }): void {
    assert(lane.state === 'committing' || lane.state === 'committing alone')
    lane.state = 'idle'
    if (lane.queue.size === 0) {
      this.#busy.delete(lane.name)
    } else if (alone) {
      lane.state = 'ready alone'
      this.#readyAlone.add(lane)
    } else {
      this.becomeReady(lane)
    }
  }
}
