import type { JournalReader } from '../journal/journal-reader.ts'
import type { LedgerQueries } from './ledger-queries.ts'

/** For answers from the ledger and the journal. */
export type AnswerSources = {
  queries: LedgerQueries
  journal: JournalReader
  /** How the journal names an order; null if it has none yet. Throws if there is no master key. */
  fingerprintOf(orderId: string): Promise<string | null>
}
