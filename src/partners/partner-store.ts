import type { Caps } from '../rules/caps.ts'
import type { AccountId } from '../rules/cursor.ts'
import type { TenantMode } from '../rules/tenant-mode.ts'

/** A partner with everything an operator sets for it. Caps that are null fall back: see rules/caps. */
export type Partner = {
  partnerId: string
  name: string
  status: 'active' | 'suspended'
  perTx: number | null
  perPartnerDay: number | null
  requestsPerSecond: number | null
  createdAt: number
  /** The allowedTenants, with optional caps of their own. */
  grants: Grant[]
  keys: Key[]
}

export type Grant = { tenantId: string; perTx: number | null; perPartnerDay: number | null }

export type Key = {
  keyId: string
  apiKeyHash: string
  sealedSecret: Uint8Array
  createdAt: number
  expiresAt: number | null
  revokedAt: number | null
}

export type Tenant = { tenantId: string; mode: TenantMode; perUserDay: number | null; createdAt: number }

/** The modes of the tenants that a change names: what a new one is made as, and what an existing one must be. */
export type NamedTenants = ReadonlyMap<string, TenantMode>

/** The settings version of a partner's last change, and the partner: the order in which changes are read. */
export type ChangePosition = { changedIn: bigint; partnerId: string }
/** What servers keep of a partner. Its numbers may be any that fit into a column: see `changedPartners`. */
export type ChangedPartner = ChangePosition & {
  requestsPerSecond: number | null
  grants: Pick<GrantInMode, 'tenantId' | 'mode'>[]
  keys: Omit<Key, 'createdAt'>[]
}
export type GrantInMode = Grant & Pick<Tenant, 'mode'>

/**
 * A version of the settings and the last row of the audit trail at that time. The row's hash covers every row before it:
 * two databases with the same version and hash have the same history of changes.
 */
export type SettingsVersion = { number: number; auditSeq: number; auditHash: string }

/** The caps that apply where no other cap is set. `setAt` is null until the first server, or an operator, has set them. */
export type DefaultCaps = Caps & { setAt: number | null }

/** Who changes what, from where and why, for the audit row that every change writes in its own transaction. */
export type Change = {
  actor: string
  action: string
  at: number
  reason: string | null
  origin: Origin
  /** The machine or network address that the change came from. */
  address: string | null
  /** Null: no sign-in allowed it, but the command line or the service itself. */
  admittedAs: AdmittedAs | null
}

/**
 * What allowed a request to make its change: the token, or else the session of the account. The store reads both again inside
 * the transaction of the change, and refuses it if they no longer allow it.
 */
export type AdmittedAs = {
  /** Null for a token that belongs to no account. */
  operatorId: string | null
  tokenId: string | null
  sessionBeganAt: number
  /** Null: whoever is signed in may do it. */
  permission: string | null
}

/** `service`: the service acted by itself. */
export type Origin = 'command line' | 'console' | 'api' | 'service'

/**
 * What operators change. A change is a pure function from the old state to the new one, run inside one transaction
 * that also writes the audit row (before and after, without secrets) and raises the settings' version, by which
 * every running server notices. Missing tenants that a partner is granted are created, each with its own audit row. They
 * are live unless `named` says otherwise. A tenant that exists in another mode than the named one is refused.
 */
export interface PartnerStore {
  /** All of them, or this one. */
  partners(partnerId?: string): Promise<Partner[]>
  /** Of all partners, also of one whose rows are damaged. */
  partnerIds(): Promise<string[]>
  /** Every tenant of every partner, also of one whose rows are damaged. */
  grantedAccounts(): Promise<AccountId[]>
  /** The partner that has this key; undefined if there is no such key. */
  holderOf(keyId: string): Promise<string | undefined>
  tenants(): Promise<Tenant[]>
  /** Of all tenants, also of one whose row is damaged. */
  tenantModes(): Promise<Pick<Tenant, 'tenantId' | 'mode'>[]>
  defaultCaps(): Promise<DefaultCaps>
  changePartner(
    id: string,
    by: Change,
    change: (before: Partner | undefined) => Partner,
    named?: NamedTenants,
  ): Promise<Partner>
  changeTenant(id: string, by: Change, change: (before: Tenant | undefined) => Tenant): Promise<Tenant>
  changeDefaultCaps(by: Change, change: (before: DefaultCaps) => DefaultCaps): Promise<DefaultCaps>
  /** `follows`: the known version is part of this database's history. */
  settingsVersion(known: SettingsVersion | null): Promise<SettingsVersion & { follows: boolean }>
  /**
   * The next partners after this position, in the order of their last change. Bounded: servers read page by page. A number
   * that SQL has put beyond 2^53 is rounded, not refused: one damaged row must not hide the changes of other partners.
   */
  changedPartners(after: ChangePosition, limit: number): Promise<ChangedPartner[]>
  /**
   * Waits until every transaction that holds one of these accounts has ended. Awards that were decided by older settings
   * are then committed or rolled back. Returns the accounts for which the bounded wait was too short.
   */
  passAccounts(accounts: AccountId[], onProgress?: (done: number) => void): Promise<AccountId[]>
  /** Returns once everything that was committed before is durable, also on the standby. */
  settle(): Promise<void>
  /** Accounts that partners lost by a `partner deny` since then; for `passAccounts`. */
  deniedAccounts(since: number): Promise<AccountId[]>
  /** Writes a value unless the name already has one. Returns the stored value. */
  putIfAbsent(name: string, value: Uint8Array): Promise<Uint8Array>
  hasValue(name: string): Promise<boolean>
}
