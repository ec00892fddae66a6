import type { Extent } from '../proof/verification.ts'

/**
 * Records the result of one `verify` for the servers on its database, which report it. Returns whether the ledger counts as
 * sound from now on. A sound result clears a NOT SOUND only if that was recorded when this `verify` began: what another
 * one found in the meantime may not have been there yet when this one looked. No clocks are compared, because two nodes
 * have two of them.
 */
export type RecordResult = (result: { sound: boolean; extent: Extent }, at: number) => Promise<boolean>
