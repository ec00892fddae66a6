import type { AlertChecker } from '../alerts/alert-checker.ts'
import type { LedgerSnapshot } from '../proof/ledger-snapshot.ts'
import type { JournalWriter } from '../journal/journal-batch.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { StoreMeasures, StoreReadings } from '../ledger/measures.ts'
import type { OperatorAccounts } from '../operator/access/operator-store.ts'
import type { PartnerStore } from '../partners/partner-store.ts'
import type { AccountId } from '../rules/cursor.ts'
import type { EntryRow } from './entry-row.ts'
import type { CarriedKind, Row } from './transfer/carried-tables.ts'

/** An open database, for administration and audits. */
export type Store = {
  partners: PartnerStore
  operators: OperatorAccounts
  snapshot(): Promise<StoreSnapshot>
  /**
   * Fills an empty database in one transaction; one that is not empty, or an embedded one that is being served, is
   * refused. If `work` fails, it stays empty.
   */
  importInto<T>(work: (target: ImportTarget) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** The ledger and all settings, at one instant. */
export type StoreSnapshot = LedgerSnapshot & {
  /** Ordered by the primary key; whole only at one instant. */
  rows(kind: CarriedKind): AsyncIterable<Row[]>
  /** The entries of these ranges, in their order; what is in the ledger already does not change meanwhile. */
  entryRows(ranges: EntryRange[]): AsyncIterable<EntryRow[]>
}

/** Entries of one account: those with `after` < seq ≤ `upTo`. */
export type EntryRange = AccountId & { after: number; upTo: number }

/** An empty database that an import fills. */
export type ImportTarget = {
  insert(kind: CarriedKind, rows: Row[]): Promise<void>
  /** Makes the accounts' heads and all counters from the entries. */
  rebuildCounters(): Promise<void>
  /** What was loaded so far, not yet committed. */
  snapshot: LedgerSnapshot
}

/**
 * An opened database that also takes awards. Close the ledger first: `close` lets go of the database at once, whatever
 * still waits.
 */
export type StoreToServe = Omit<Store, 'importInto'> & {
  ledger: Ledger
  measured(): StoreMeasures
  readings: StoreReadings
  openJournal(options: JournalOptions): JournalWriter & AlertChecker
  /** Calls back, if the store supports it, as soon as an operator has changed something on any node. */
  watchSettings(onChange: () => void): { close(): Promise<void> }
}

export type JournalOptions = {
  /** Single refusals, and replays by order, are kept this long; 0: they are not. */
  refusalDays: number
  warn(message: string): void
}
