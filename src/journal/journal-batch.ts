import type { RefusalCode, ResultCode } from './result-code.ts'

/** What a request asked for. */
export type Endpoint = 'award' | 'history'

/** Replaces what the caller chose freely: a key that nobody has, a tenant that does not exist. */
export const unknown = '(unknown)'
/** Stands for the rest if one batch would have too many different counts. */
export const others = '(others)'

/** Responses of one kind within one minute. */
export type Count = {
  /** The start of the minute, in milliseconds since 1970. */
  minute: number
  /** Of the key, also where the signature was wrong; otherwise `unknown`. */
  partnerId: string
  tenantId: string
  endpoint: Endpoint
  code: ResultCode
  /** Of a refusal by a cap: the cap. Of a replay: how soon it came, see replay-age.ts. Otherwise ''. */
  detail: string
  responses: number
  /** EP: credited, refused, or those of the award that was replayed. */
  points: number
}

/** One request that was not carried out. Never an address, a note, meta or a body. */
export type Refusal = {
  at: number
  partnerId: string
  keyId: string | null
  tenantId: string
  endpoint: Endpoint
  code: RefusalCode
  /** Of a refusal by a cap: which one, and its value in EP. */
  cap: string | null
  limit: number | null
  /** The EP that the award would have had. */
  requested: number | null
  /** Of perPartnerDay only: a user's total is never disclosed. */
  used: number | null
  requestId: string
  /** See journal-key.ts. Null where the orderId was not read, or not signed. */
  orderFingerprint: string | null
}

/** Replays of one order that one process saw, by one key. Like a refusal, it has nothing of the award itself. */
export type ReplayRecord = {
  /** See journal-key.ts. Null, like the key: replays of the partner that were left out, of any order. */
  orderFingerprint: string | null
  partnerId: string
  keyId: string | null
  replays: number
  firstAt: number
  lastAt: number
}

/** The last request that was signed with a key. */
export type KeyUse = {
  keyId: string
  partnerId: string
  at: number
  /**
   * X-Timestamp minus our clock. Of several requests, the difference nearest to zero: a request may have waited on its
   * way, a clock that is wrong is wrong for all of them.
   */
  clockDifferenceMs: number
}

/** What one process saw in about a second. */
export type JournalBatch = {
  /** The process. Rows are keyed by it, so that processes never wait for each other's rows. */
  node: string
  /** Counts the batches of the process. A batch that is written again, because its outcome was unknown, changes nothing. */
  number: number
  /** What is too old at this time is deleted with it: see createSteadyTime. */
  at: number
  /** Everything since then is in this batch, or in an earlier one. */
  since: number
  counts: Count[]
  refusals: Refusal[]
  replays: ReplayRecord[]
  keyUses: KeyUse[]
}

/** Where a store keeps the journal. A journal that cannot be written never delays an award. */
export type JournalWriter = {
  /** The key that the journal has, sealed. Stores this one if it has none yet, or if `replace` says so. */
  storedKey(ours: Uint8Array, how?: { replace: boolean }): Promise<Uint8Array>
  write(batch: JournalBatch): Promise<void>
  close(): Promise<void>
}
