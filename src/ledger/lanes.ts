import { strict as assert } from 'node:assert'
import type { AccountId } from '../rules/cursor.ts'
import { FairQueue } from './fair-queue.ts'
import type { WaitingAward } from './waiting-award.ts'

/**
 * A lane is *idle* (nothing waits, nothing runs), *ready* (awards wait for a place in a shared commit) or *committing*.
 * After a commit that was taken apart it is *ready alone* and then *committing alone* until it has got through: it
 * commits by itself, so that it neither takes others with it again nor keeps them waiting. If it has a lock timeout of its
 * own, it is *ready locked* and then *committing locked*: it waits for long, but not in the way of lanes that may be free.
 *
 *     idle → ready | ready alone
 *     ready → committing → idle | ready | ready alone
 *     ready alone → committing alone → idle | ready | ready alone | ready locked
 *     ready locked → committing locked → idle | ready | ready locked
 */
type LaneState =
  | 'idle'
  | 'ready'
  | 'committing'
  | 'ready alone'
  | 'committing alone'
  | 'ready locked'
  | 'committing locked'

/** How a lane commits next. `alone`: its shared commit was taken apart. `locked`: it had a lock timeout of its own. */
export type NextCommit = 'shared' | 'alone' | 'locked'

export type Lane = {
  readonly name: string
  /** The account whose award opened it. It takes this partner's turn, also if partners share the lane. */
  readonly opener: AccountId
  state: LaneState
  readonly queue: FairQueue<WaitingAward>
}

/** While a whole table is locked, every lane is: there must be a limit. A lane that is forgotten only delays others again. */
const rememberedMax = 8192

/** The lanes that are not idle, and the order in which the ready ones have their turn. */
export class Lanes {
  readonly #busy = new Map<string, Lane>()
  /**
   * The ready lanes of each group that has some. Groups take turns, and within a group partners do: one with thousands
   * of tenants, and hence lanes, does not keep the others waiting.
   */
  readonly #ready = new Map<string, FairQueue<Lane>>()
  /** Partners take turns here, too. */
  readonly #readyAlone = new FairQueue<Lane>()
  readonly #readyLocked = new FairQueue<Lane>()
  /**
   * Lanes that were locked when the last of their awards was answered. They begin alone: in a shared commit they would
   * delay the others again.
   */
  readonly #wereLocked = new Set<string>()
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
    if (this.#wereLocked.size > 0 && this.#wereLocked.delete(name)) this.#becomeReadyAlone(lane)
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

  /** The next ready lanes of one group, by weight. They are committing now. */
  takeReady(lanesMax: number, weightOf: (lane: Lane) => number): Lane[] {
    const [next] = this.#ready
    if (next === undefined) return []
    const [name, group] = next
    const taken = group.take(lanesMax, weightOf)
    for (const lane of taken) lane.state = 'committing'
    // The other groups have their turn before the rest of this one.
    this.#ready.delete(name)
    if (group.size > 0) this.#ready.set(name, group)
    return taken
  }

  /** The next lane that is ready alone. It is committing now. */
  takeReadyAlone(): Lane | undefined {
    if (this.#readyAlone.size === 0) return undefined
    const [lane] = this.#readyAlone.take(1)
    lane!.state = 'committing alone'
    return lane
  }

  /** The next lane that is known to be locked. It is committing now. */
  takeReadyLocked(): Lane | undefined {
    if (this.#readyLocked.size === 0) return undefined
    const [lane] = this.#readyLocked.take(1)
    lane!.state = 'committing locked'
    return lane
  }

  /** Its commit has ended. */
  ended(lane: Lane, next: NextCommit): void {
    const { state } = lane
    assert(state === 'committing' || state === 'committing alone' || state === 'committing locked')
    lane.state = 'idle'
    if (lane.queue.size === 0) {
      this.#busy.delete(lane.name)
      if (next === 'locked') this.#remember(lane.name)
    } else if (next === 'alone') {
      this.#becomeReadyAlone(lane)
    } else if (next === 'locked') {
      lane.state = 'ready locked'
      this.#readyLocked.push(lane.opener.partnerId, lane)
    } else {
      this.becomeReady(lane)
    }
  }

  #becomeReadyAlone(lane: Lane): void {
    lane.state = 'ready alone'
    this.#readyAlone.push(lane.opener.partnerId, lane)
  }

  #remember(name: string): void {
    this.#wereLocked.add(name)
    const [oldest] = this.#wereLocked
    if (this.#wereLocked.size > rememberedMax) this.#wereLocked.delete(oldest!)
  }
}
