import type { AccountId } from '../rules/cursor.ts'
import type { Outcome } from '../rules/decide-batch.ts'
import type { AwardCommand } from '../rules/entry.ts'

/** Where awards are kept. Each store owns its locking, its retries and its COMMIT; the rules own the meaning. */
export interface LedgerStore {
  /**
   * Awards of one lane never commit side by side, and commit in the order in which they came. A commit holds those of up
   * to `lanesPerCommit` lanes; up to `commitsMax` commits run side by side. Where there are `commitsAloneMax` places
   * beside them, for single lanes that got into trouble, the others may be hasty.
   */
  laneOf(command: AwardCommand): string
  readonly lanesPerCommit: number
  readonly commitsMax: number
  readonly commitsAloneMax: number

  /**
   * Decides and writes a batch in one transaction; resolves with an outcome for each command, in order, when all of
   * it is durable. Throws `Unavailable` when the outcome is not known or nothing could be tried; any other error
   * means that nothing of the batch was written: `HeldUp`, only where it is hasty, that it would have had to wait for
   * long, everything else a bug.
   */
  commit(commands: AwardCommand[], how?: { hasty: boolean }): Promise<Outcome[]>

  /** A page of an account's history as the JSON that is answered. */
  historyPage(query: PageQuery): Promise<string>

  /**
   * Resolves when awards can be decided and made durable now, with what an operator should know all the same (in
   * sentences; mostly none); otherwise throws `Unavailable`.
   */
  ready(): Promise<string[]>

  close(): Promise<void>
}

/** Newest first, from below `beforeSeq` (null: from the top). */
export type PageQuery = AccountId & { beforeSeq: number | null; limit: number }
