import { bytesOf, fieldDigest } from '../shortcuts/field-digest.ts'

/** One change that an operator made: who, when, from where, why, and the subject before and after it, as JSON. */
export type AuditEvent = {
  at: number
  actor: string
  action: string
  subject: string
  before: string | null
  after: string
  reason: string | null
  origin: string
  address: string | null
}

/** An event with its place in the chain: rows are numbered from 1 without a gap, and each holds the hash of the one before. */
export type AuditRow = AuditEvent & { auditSeq: number; previousHash: Uint8Array; hash: Uint8Array }

export type AuditHead = { seq: number; hash: Uint8Array }

export const emptyAuditHead: AuditHead = { seq: 0, hash: new Uint8Array(32) }

export function nextAuditRow(head: AuditHead, event: AuditEvent): AuditRow {
  const row = { ...event, auditSeq: head.seq + 1, previousHash: head.hash }
  return { ...row, hash: auditHash(row) }
}

/** A digest of the previous hash and every length-prefixed field. See field-digest. */
export function auditHash(row: Omit<AuditRow, 'hash'>): Uint8Array {
  fieldDigest.begin()
  fieldDigest.writeBytes(row.previousHash)
  fieldDigest.writeInteger(row.auditSeq)
  fieldDigest.writeInteger(row.at)
  fieldDigest.writeText(row.actor)
  fieldDigest.writeText(row.action)
  fieldDigest.writeText(row.subject)
  fieldDigest.writeText(row.before)
  fieldDigest.writeText(row.after)
  fieldDigest.writeText(row.reason)
  fieldDigest.writeText(row.origin)
  fieldDigest.writeText(row.address)
  return bytesOf(fieldDigest.finish())
}
