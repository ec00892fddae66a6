import { hash } from 'node:crypto'
import { Damaged } from '../ledger/errors.ts'
import type { ApiToken, OperatorAccount } from '../operator/access/operator-store.ts'
import type { Change, DefaultCaps, Partner, Tenant } from '../partners/partner-store.ts'
import type { AuditEvent, AuditHead, AuditRow } from '../rules/audit-hash.ts'
import { columnOf, columns } from './columns.ts'

/** What an audit row can be about. */
type Subject = Partner | Tenant | Omit<Tenant, 'mode'> | DefaultCaps | OperatorAccount | ApiToken

/** A partner, a tenant, the defaults, an operator or a token, as the audit trail shows them. */
export type Setting = { subject: string; text: string }

/** Without this row, servers would not notice any change, not even a revoked key. */
const versionIsMissing =
  'settings_version has lost its row, by which servers notice a change: the database was changed from outside. Restore a backup'

/** More changes than anybody ever makes: a version or an audit row with this number was not made by one. */
export const changesMax = 2 ** 52

/** The version as text, undefined without its row. */
export function versionFaultOf(version: string | undefined): string | null {
  if (version === undefined) return versionIsMissing
  if (Number(version) >= 0 && Number(version) < changesMax) return null
  return `settings_version holds the version ${version}, which no change ever made, and none can be made after it: the database was changed from outside. Restore a backup`
}

/** The head from which the next rows of the audit trail go on; `isLast`: no row comes after it. */
export function checkedHead(head: (AuditHead & { isLast: unknown }) | undefined): AuditHead {
  if (head === undefined || !head.isLast || head.seq >= changesMax)
    throw new Damaged(
      "the audit trail's head does not fit its rows, and no change can be recorded: the database was changed from outside. Run verify, and restore a backup",
    )
  return { seq: head.seq, hash: head.hash }
}

export function auditEvent(
  { admittedAs: _, ...by }: Change,
  before: Subject | undefined,
  after: Subject,
): AuditEvent {
  const { subject, text } = settingOf(after)
  return { ...by, subject, before: before === undefined ? null : settingOf(before).text, after: text }
}

/** Without secrets. */
export function settingOf(subject: Subject): Setting {
  if ('keys' in subject) return { subject: `partner ${subject.partnerId}`, text: partnerText(subject) }
  if ('passwordHash' in subject)
    return { subject: `operator ${subject.operatorId}`, text: operatorText(subject) }
  if ('tokenHash' in subject) return { subject: `token ${subject.tokenId}`, text: tokenText(subject) }
  const text = JSON.stringify(subject)
  return { subject: 'tenantId' in subject ? `tenant ${subject.tenantId}` : 'defaults', text }
}

function partnerText(partner: Partner): string {
  const keys = partner.keys.map(({ keyId, createdAt, expiresAt, revokedAt }) => ({
    keyId,
    createdAt,
    expiresAt,
    revokedAt,
  }))
  return JSON.stringify({ ...partner, keys })
}

/**
 * The fingerprint shows `verify` that a password was replaced without the service. It is a hash of the salted hash, from
 * which no password can be guessed.
 */
function operatorText({ passwordHash, ...operator }: OperatorAccount): string {
  const passwordFingerprint = passwordHash === null ? null : fingerprintOf(passwordHash)
  return JSON.stringify({ ...operator, passwordFingerprint })
}

function tokenText({ tokenHash, scopes, ...token }: ApiToken): string {
  return JSON.stringify({ ...token, scopes: scopes.join(' '), fingerprint: fingerprintOf(tokenHash) })
}

function fingerprintOf(text: string): string {
  return hash('sha256', text).slice(0, 32)
}

const fields = [
  'auditSeq',
  'at',
  'actor',
  'action',
  'subject',
  'before',
  'after',
  'reason',
  'origin',
  'address',
  'previousHash',
  'hash',
] as const satisfies (keyof AuditRow)[]

export const auditColumns = fields.map(columnOf)
export const auditSelection = columns<AuditRow>(...fields)

export function auditValues(row: AuditRow) {
  return fields.map((field) => row[field])
}
