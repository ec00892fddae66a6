import type { AuditHead, AuditRow } from '../rules/audit-hash.ts'
import type { AccountId } from '../rules/cursor.ts'
import type { UserDay } from '../rules/decide-batch.ts'
import type { Account, Entry } from '../rules/entry.ts'
import type { EntryPage } from './fast/stored-entry.ts'
import type { Extent, OnProgress } from './verification.ts'

/** An entry as its user's day sees it. */
export type UserAward = Pick<
  Entry,
  'tenantId' | 'userEmail' | 'epTransactionId' | 'points' | 'userDayTotal' | 'awardedAt'
>

/** Vietnam days, `from` included and `before` not. */
export type Days = { from?: number; before?: number }

/** The fault, or null; and how far it looked. */
export type StorageCheck = { fault: string | null; extent: Extent }

/**
 * The ledger as the verifier reads it. Streams come in chunks, so that reading is fast.
 *
 * A snapshot that stays open holds back the database's own cleaning up: SQLite cannot start its log over, PostgreSQL
 * keeps every dead row version. So what is read outside of `atOneInstant` is read in many short snapshots, one for each
 * page, and only what has to be compared with each other is read inside of it.
 *
 * No stream may rely on an index that the verifier is there to check.
 */
export interface LedgerSnapshot {
  /** Everything that `work` reads is of one instant. */
  atOneInstant<T>(work: () => Promise<T>): Promise<T>
  /** By the accounts' heads: what the entries themselves say is for the verifier to find out. */
  entryCount(): Promise<number>
  /**
   * Begins a pass over all entries in the order that is fastest, each chain in its own order. Every call gives the pages
   * of what is there now and was not given before.
   */
  entryPass(): () => AsyncIterable<EntryPage>
  /** How many rows the table has, if the pass found its rows by an index; null if it read the table itself. */
  entryRowCount(): Promise<number | null>
  /** Between two pages, outside of `atOneInstant`: beside a server it takes as long as the page, so that awards do not wait. */
  rest(): Promise<void>
  /** Counters of these days, ordered by tenant, user, day. */
  userDaysOf(days: Days): AsyncIterable<UserDay[]>
  /** How many counters the table has, not counting those of zero. */
  userDayCount(): Promise<number>
  /** An account whose partner or tenant does not exist. */
  accountWithoutOwner(): Promise<AccountId | null>

  // The streams below are whole only at one instant.

  /** Ordered by partner, tenant. */
  accounts(): AsyncIterable<(AccountId & Account)[]>
  /** Ordered by partner, tenant, seq. */
  entries(): AsyncIterable<Entry[]>
  /** Ordered by tenant, user, awardedAt. */
  userAwards(): AsyncIterable<UserAward[]>
  /** Ordered by tenant, user, day. */
  userDays(): AsyncIterable<UserDay[]>
  /** What is wrong with the tables, triggers and constraints that every other proof relies on; null if nothing is. */
  layoutFault(): Promise<string | null>
  /** Ordered by auditSeq. */
  auditRows(): AsyncIterable<AuditRow[]>
  /** Where the audit trail says that it ends. */
  auditHead(): Promise<AuditHead>
  /** The defaults, every tenant, partner, operator and token as they are set, written as the audit trail writes them. */
  settings(): Promise<{ subject: string; text: string }[]>
  /**
   * From now on, the first pass over all entries also adds them up. What it returns says, after that pass, what is wrong
   * with the sums that reports use, if they are kept beside the ledger.
   */
  addUpReportSums(): () => string | null
  /** What is wrong with the storage below the tables, which may take long. */
  checkStorage(onProgress: OnProgress): Promise<StorageCheck>
  close(): Promise<void>
}
