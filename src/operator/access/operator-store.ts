import type { Change } from '../../partners/partner-store.ts'
import type { Permission, Role } from './permissions.ts'

/** Somebody who signs in. Accounts are never deleted, only disabled: the audit trail goes on naming them. */
export type OperatorAccount = {
  /** What is typed at sign-in. */
  operatorId: string
  role: Role
  status: 'active' | 'disabled'
  /** Null: this account has no password, and can sign in only by OpenID Connect. */
  passwordHash: string | null
  /** The person at the OpenID provider, as "issuer subject"; set at the first sign-in there. */
  oidcSubject: string | null
  /** Sessions that began before this time have ended. */
  sessionsFrom: number
  createdAt: number
}

/** For scripts. The secret itself is shown once; its hash is enough to recognize it. */
export type ApiToken = {
  tokenId: string
  name: string
  tokenHash: string
  scopes: Permission[]
  /** The account that it acts for: it can do no more than this operator, and ends with the account. Null: none. */
  operatorId: string | null
  createdAt: number
  expiresAt: number
  revokedAt: number | null
}

/**
 * Accounts and tokens are settings: they are in the ledger's database, and each change is one transaction with its audit
 * row. `change` is a pure function. It gets the row before, and all rows of its kind, for rules about their number.
 */
export interface OperatorAccounts {
  operators(): Promise<OperatorAccount[]>
  operator(operatorId: string): Promise<OperatorAccount | null>
  changeOperator(
    operatorId: string,
    by: Change,
    change: (before: OperatorAccount | undefined, all: OperatorAccount[]) => OperatorAccount,
  ): Promise<OperatorAccount>
  tokens(): Promise<ApiToken[]>
  tokenOf(tokenHash: string): Promise<ApiToken | null>
  changeToken(
    tokenId: string,
    by: Change,
    change: (before: ApiToken | undefined, all: ApiToken[]) => ApiToken,
  ): Promise<ApiToken>
  /** As that of the partners' store. */
  settle(): Promise<void>
}

export type Session = {
  /** The SHA-256 of the secret in the cookie. */
  sessionId: string
  operatorId: string
  method: 'password' | 'oidc'
  address: string
  userAgent: string
  createdAt: number
  /** At most a minute behind. */
  usedAt: number
}

/** The last sign-in of an operator ("operator mai"), or the last use of a token ("token tok_…"). */
export type LastUse = { subject: string; at: number; address: string }

/** Failed sign-ins of one account or address. */
export type Failures = { failures: number; at: number }

export type AccessEvent = {
  at: number
  kind: AccessKind
  actor: string
  address: string
  /** What was asked for: the method and path pattern of a route, or what happened at sign-in. */
  action: string
  /** Whose data, or null. Never an address of a user: the opaque reference of it, or the id of an award. */
  subject: string | null
  requestId: string
}
export type AccessKind = 'read' | 'denied' | 'sign-in' | 'sign-in failed'
/** `accessId` grows: the newest row has the highest. */
export type AccessRow = AccessEvent & { accessId: number }

/** The newest rows first; `before` is the accessId of the last row of the page before. */
type AccessQuestion = {
  before?: number | undefined
  kind?: AccessKind | undefined
  actor?: string | undefined
  limit: number
}

/**
 * Sessions, failed sign-ins and the access log are no settings: on SQLite they are in the operator's file beside the ledger,
 * whose loss only means that everybody signs in again; on PostgreSQL they are tables of their own. All processes share
 * them. Each method is one statement, or can be repeated.
 */
export interface OperatorSessions {
  begin(session: Session): Promise<void>
  session(sessionId: string): Promise<Session | null>
  sessions(): Promise<Session[]>
  /** Only if it was not used since `unlessSince`: so several processes together write once a minute. */
  touch(sessionId: string, at: number, unlessSince: number): Promise<void>
  end(sessionId: string): Promise<void>
  /** Returns how many there were. */
  endAll(operatorId: string, except?: string): Promise<number>

  lastUses(): Promise<LastUse[]>
  noteUse(use: LastUse, unlessSince: number): Promise<void>

  failures(subject: string): Promise<Failures | null>
  /** False: somebody else has changed them since they were read as `before`. */
  putFailures(subject: string, before: Failures | null, after: Failures): Promise<boolean>
  forgetFailures(subject: string): Promise<void>

  /** Rejects if it cannot be written: then the data must not be shown. */
  recordAccess(event: AccessEvent): Promise<void>
  accessLog(question: AccessQuestion): Promise<AccessRow[]>

  /** Deletes what is too old, or too much. */
  tidy(now: number): Promise<void>
  close(): Promise<void>
}

export type OperatorStore = { accounts: OperatorAccounts; sessions: OperatorSessions }
