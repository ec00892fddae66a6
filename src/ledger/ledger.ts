import type { AccountId } from '../rules/cursor.ts'
import type { Outcome } from '../rules/decide-batch.ts'
import type { AwardCommand } from '../rules/entry.ts'

/** The ledger as the rest of the service sees it. How awards wait and how they are committed is the store's own matter. */
export type Ledger = {
  /**
   * Resolves when the award is decided and, if credited, durable. Rejects with
   * `Unavailable` if it was not committed or if we cannot know, and with any other error after a bug.
   */
  award(command: AwardCommand): Promise<Outcome>

  /** A page of an account's history as the JSON that is sent. */
  historyPage(query: PageQuery): Promise<string>

  /**
   * Resolves when awards can be decided and made durable now, with warnings for the operator (in
   * sentences; mostly none); otherwise throws `Unavailable`.
   */
  ready(): Promise<string[]>

  /** Takes no more awards and resolves when all accepted ones are answered. The store itself stays open. */
  close(): Promise<void>
}

/** Newest first, from below `beforeSeq` (null: from the top). */
export type PageQuery = AccountId & { beforeSeq: number | null; limit: number }
