import type { AccountId } from '../rules/cursor.ts'
import type { UserDay } from '../rules/decide-batch.ts'
import type { Account, Entry } from '../rules/entry.ts'
import type { EntryPage } from './stored-entry.ts'

/** An entry as its user's day sees it. */
export type UserAward = Pick<
  Entry,
  'tenantId' | 'userEmail' | 'epTransactionId' | 'points' | 'userDayTotal' | 'awardedAt'
>

/** The whole ledger at one instant, for whoever has to prove it. Streams come in chunks, so that reading is fast. */
export interface LedgerSnapshot {
  /** By the account's heads: what the entries themselves say is for the verifier to find out. */
  entryCount(): Promise<number>
  /** Ordered by partner, tenant. */
  accounts(): AsyncIterable<(AccountId & Account)[]>
  /** Ordered by partner, tenant, seq. */
  entries(): AsyncIterable<Entry[]>
  /** Ordered by tenant, user, awardedAt. */
  userAwards(): AsyncIterable<UserAward[]>
  /** Ordered by tenant, user, day. */
  userDays(): AsyncIterable<UserDay[]>
  /** The same entries and counters once more, in the order and the way that is fastest. */
  entryPages(): AsyncIterable<EntryPage>
  userDaysAsStored(): AsyncIterable<UserDay[]>
  /** How many orders of partners were credited. */
  orderCount(): Promise<number>
  /** An order that was credited twice, if there is one. */
  orderCreditedTwice(): Promise<{ partnerId: string; orderId: string } | null>
  close(): Promise<void>
}
