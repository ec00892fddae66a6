import type { AccountId } from '../rules/cursor.ts'
import type { Outcome } from '../rules/decide-batch.ts'
import type { AwardCommand } from '../rules/entry.ts'
import type { HistoryEntry } from '../rules/history-page.ts'

/** Where awards are kept. Each store owns its locking, its retries and its COMMIT; the rules own the meaning. */
export interface LedgerStore {
  /** Awards of one lane never commit side by side; up to `lanesMax` lanes do. */
  laneOf(command: AwardCommand): string
  readonly lanesMax: number

  /**
   * Decides and writes a batch in one transaction; resolves with an outcome for each command, in order, when all of
   * it is durable. Throws `Unavailable` when the outcome is not known or nothing could be tried; any other error
   * means a bug, and that nothing of the batch was written.
   */
  commit(commands: AwardCommand[]): Promise<Outcome[]>

  /** Newest first, from below `beforeSeq` (null: from the top). */
  awardsBefore(query: AccountId & { beforeSeq: number | null; limit: number }): Promise<HistoryEntry[]>

  /**
   * Resolves when awards can be decided and made durable now, with what an operator should know all the same (in
   * sentences; mostly none); otherwise throws `Unavailable`.
   */
  ready(): Promise<string[]>

  close(): Promise<void>
}
