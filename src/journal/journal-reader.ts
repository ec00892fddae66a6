import type { RecordedAlert } from '../alerts/alert.ts'
import type { Count, Endpoint, KeyUse, Refusal, ReplayRecord } from './journal-batch.ts'

/** Minutes are kept for 7 days, hours for 90, days forever. */
export type Span = 'minute' | 'hour' | 'day'

/** A row of counts under these fields; all other rows are added up. `start` is the start of the minute, hour or day. */
export type CountField = 'start' | 'partnerId' | 'tenantId' | 'endpoint' | 'code' | 'detail'

export type CountQuery = {
  span: Span
  /** In milliseconds since 1970: spans that begin at `from` or later, and before `to`. A day begins at midnight in Vietnam. */
  from: number
  to: number
  by: readonly CountField[]
  partnerId?: string | undefined
  tenantId?: string | undefined
  /** Left out, as sandbox tenants are. */
  withoutTenants?: readonly string[]
  endpoint?: Endpoint | undefined
  code?: string | undefined
}

/** The fields that were asked for, and the sums over all processes. */
export type CountSum = Partial<Omit<Count, 'minute'> & { start: number }> & {
  responses: number
  points: number
}

export type RefusalQuery = {
  /** At or after. */
  from: number
  /** At or before. */
  to?: number | undefined
  partnerId?: string | undefined
  tenantId?: string | undefined
  withoutTenants?: readonly string[]
  endpoint?: Endpoint | undefined
  code?: string | undefined
  requestId?: string | undefined
  orderFingerprint?: string | undefined
  limit: number
}

/** What is on record of the replays of one order. */
export type ReplaysOnRecord = {
  /** Since when all replays are recorded; null: they are not. */
  since: number | null
  /** By key and process. */
  records: (ReplayRecord & { keyId: string })[]
  /** When the last replay of this partner, of whatever order, was left out; null: none was. */
  lastLeftOutAt: number | null
}

/** Since when the journal can say something; null: nothing yet. */
export type JournalBegin = { counts: number | null; refusals: number | null }

/** The journal as its readers see it, on either store. It is diagnostics: amounts of money come from the ledger. */
export type JournalReader = {
  begin(): Promise<JournalBegin>
  counts(query: CountQuery): Promise<CountSum[]>
  /** Newest first. */
  refusals(query: RefusalQuery): Promise<Refusal[]>
  replays(of: { partnerId: string; orderFingerprint: string }): Promise<ReplaysOnRecord>
  /** Of one partner, or of all. The last one of each key, as of `now`: a clock that was ahead may have recorded a later one. */
  keyUses(now: number, partnerId?: string): Promise<KeyUse[]>
  /** Raised since then, or open; newest first. */
  alerts(since: number, limit: number): Promise<RecordedAlert[]>
  /** The key for fingerprints of orders, sealed; null: there is none yet. See journal-key.ts. */
  sealedKey(): Promise<Uint8Array | null>
  close(): Promise<void>
}
