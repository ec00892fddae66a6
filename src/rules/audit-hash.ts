import { bytesOf, FieldDigest } from '../shortcuts/field-digest.ts'

const digest = new FieldDigest()

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
  digest.begin()
  digest.writeBytes(row.previousHash)
  digest.writeInteger(row.auditSeq)
  digest.writeInteger(row.at)
  digest.writeText(row.actor)
  digest.writeText(row.action)
  digest.writeText(row.subject)
  digest.writeText(row.before)
  digest.writeText(row.after)
  digest.writeText(row.reason)
  digest.writeText(row.origin)
  digest.writeText(row.address)
  return bytesOf(digest.finish())
}
