import type { AwardRequest } from './award-request.ts'
import type { Caps } from './caps.ts'

/** The length of a salt. */
export const saltBytes = 16

/** A valid request with its random values, drawn beforehand so that `decide` stays deterministic. */
export type AwardCommand = AwardRequest & {
  partnerId: string
  epTransactionId: string
  /** Secret random bytes that blind the entry's personal fields: see entry-hash. */
  salt: Uint8Array
}

/** One award in the ledger. Never changed; `seq` counts without a gap within its account (partner, tenant). */
export type Entry = {
  partnerId: string
  tenantId: string
  seq: number
  epTransactionId: string
  orderId: string
  userEmail: string
  note: string | null
  meta: string | null
  /** Null after the person's data was erased; `commitment` then replaces them in the hash. */
  salt: Uint8Array | null
  commitment: Uint8Array | null
  rawAmount: number
  amountPerEp: number
  points: number
  awardedAt: number
  /** The caps in force at that time and both totals after this award: the proof that no cap was exceeded. */
  caps: Caps
  partnerDayTotal: number
  userDayTotal: number
  hash: Uint8Array
}

/** The head of an account's chain, and its counter of the day. */
export type Account = {
  seq: number
  headHash: Uint8Array
  awardedAt: number
  day: number
  dayPoints: number
}

export const emptyAccount: Account = {
  seq: 0,
  headHash: new Uint8Array(32),
  awardedAt: 0,
  day: 0,
  dayPoints: 0,
}
