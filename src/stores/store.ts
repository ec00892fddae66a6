import type { LedgerSnapshot } from '../ledger/ledger-snapshot.ts'
import type { LedgerStore } from '../ledger/ledger-store.ts'
import type { PartnerStore } from '../partners/partner-store.ts'

/** An opened database, for whoever administers or audits it. */
export type Store = {
  partners: PartnerStore
  snapshot(): Promise<LedgerSnapshot>
  close(): Promise<void>
}

/** An opened database that also takes awards. */
export type StoreToServe = Store & { ledger: LedgerStore }
