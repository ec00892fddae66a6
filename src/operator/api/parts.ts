import type { AnswerSources } from '../../answers/sources.ts'
import type { Access } from '../access/access.ts'
import type { OperatorSessions } from '../access/operator-store.ts'
import type { PartnerStore } from '../../partners/partner-store.ts'
import type { NodeReadings } from './thread/messages.ts'
import type { Verifications } from './verification/verifications.ts'

/** What the routes work with. Everything is opened by the first request that needs it. */
export type ApiParts = {
  /** For questions: the ledger, the settings and the journal, read-only. */
  sources(): Promise<AnswerSources>
  /** For changes. */
  partners(): Promise<PartnerStore>
  /** Who is signed in, and the access log. */
  sessions(): Promise<OperatorSessions>
  /** Accounts, sign-in and tokens. */
  access: Access
  /** Checked against the ledger. */
  masterKey(): Promise<Uint8Array>
  /** What the main thread measures; null: it does not say. */
  readings(): Promise<NodeReadings | null>
  verifications: Verifications
}

/** Of one request. */
export type CallParts = ApiParts & { close(): Promise<void> }
