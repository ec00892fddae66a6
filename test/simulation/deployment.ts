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
  /** On a busy machine a database may refuse a connection unasked: that is counted, not held against the service. */
  mayBeAway: boolean
  /** Ends a node without a word, whatever it is doing. */
  crash(node: number): Promise<void>
  /** Opens again what has died. */
  reopen(): Promise<void>
  close(): Promise<void>
}

export type Node = {
  store: StoreToServe
  /** Resolves when the node is dead: nobody hears from it any more. */
  dead: Promise<null>
}

/** A place where the store can be made to fail; a costly one (something has to be opened again) is chosen less often. */
export type FaultPoint = { name: string; isCostly: boolean }

export type Faults = {
  /** After it was passed so many times. */
  arm(point: number, passings: number): void
  /** Takes it back; gives the name of what has happened. */
  disarm(): string | null
}

/** Small enough to be reached within a run. */
export const defaultCaps: Caps = { perTx: 40, perPartnerDay: 300, perUserDay: 120 }

/** The answer of a node; null: `Unavailable`, or the node died first. Whatever else is thrown is a bug. */
export function answerOf(node: Node, command: AwardCommand): Promise<Answer | null> {
  const answered = node.store.ledger.award(command).catch((error: unknown) => {
    if (error instanceof Unavailable) return null
    throw error
  })
  return Promise.race([answered, node.dead])
}
