import { Unavailable } from '../../src/ledger/errors.ts'
import type { AwardCommand } from '../../src/rules/entry.ts'
import type { Caps } from '../../src/rules/caps.ts'
import type { StoreToServe } from '../../src/stores/store.ts'
import type { RawDatabase } from '../support/raw-database.ts'
import type { TestClock } from '../support/test-clock.ts'
import type { Answer } from './model.ts'

/** A real database and the nodes that serve it, each with its store. */
export type Deployment = {
  clock: TestClock
  raw: RawDatabase
  nodes: Node[]
  faults: Faults
  /** On a busy machine a database may refuse a connection by itself: that is counted, and is not a failure of the service. */
  mayBeAway: boolean
  /** Kills a node, whatever it is doing. */
  crash(node: number): Promise<void>
  /** Reopens what has died. */
  reopen(): Promise<void>
  close(): Promise<void>
}

export type Node = {
  store: StoreToServe
  /** Resolves when the node is dead: it sends nothing any more. */
  dead: Promise<null>
}

/** A point where the store can be made to fail; a costly one (something must be reopened) is chosen less often. */
export type FaultPoint = { name: string; isCostly: boolean }

export type Faults = {
  /** Fails after it was passed this many times. */
  arm(point: number, passings: number): void
  /** Disarms it; returns the name of the fault that fired. */
  disarm(): string | null
}

/** Small enough to be reached within a run. */
export const defaultCaps: Caps = { perTx: 40, perPartnerDay: 300, perUserDay: 120 }

/** The outcome from a node; null: `Unavailable`, or the node died first. Any other error is a bug. */
export function answerOf(node: Node, command: AwardCommand): Promise<Answer | null> {
  const answered = node.store.ledger.award(command).catch((error: unknown) => {
    if (error instanceof Unavailable) return null
    throw error
  })
  return Promise.race([answered, node.dead])
}
