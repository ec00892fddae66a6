import { type AuditHead, type AuditRow, auditHash, emptyAuditHead } from '../rules/audit-hash.ts'
import { builtInCaps } from '../rules/caps.ts'
import { isAsRecorded } from '../rules/recorded-settings.ts'
import type { LedgerSnapshot } from './ledger-snapshot.ts'
import { Fault, isHash } from './verify-entry.ts'

type AuditSnapshot = Pick<LedgerSnapshot, 'auditRows' | 'auditHead' | 'settings'>

/** Of rows from before the trail was a chain: between them, a setting may have been changed without the service. */
const legacyOrigin = 'not recorded'
/** What a row says of a setting that is there no longer. */
const noSetting = 'null'
/** Until they are set. */
const firstDefaults = JSON.stringify({ ...builtInCaps, setAt: null })

/**
 * Proves the audit trail: its rows follow each other without a gap, each linked to the one before; it ends where its head
 * says; what a row calls `before` is what the row before it left; and what is set now is what the last row left. Returns
 * the number of rows.
 */
export async function verifyAudit(snapshot: AuditSnapshot): Promise<number> {
  /** What the rows so far have left of each subject. */
  const left = new Map([['defaults', firstDefaults]])
  let head: AuditHead = emptyAuditHead
  for await (const chunk of snapshot.auditRows()) {
    for (const row of chunk) {
      verifyLink(row, head)
      verifyBefore(row, left.get(row.subject))
      left.set(row.subject, row.after)
      head = { seq: row.auditSeq, hash: row.hash }
    }
  }
  verifyHead(await snapshot.auditHead(), head)
  verifySettings(await snapshot.settings(), left)
  return head.seq
}

function verifyLink(row: AuditRow, { seq, hash }: AuditHead): void {
  if (row.auditSeq !== seq + 1) throw new Fault(`audit #${row.auditSeq}: follows #${seq}`)
  if (!isHash(row.previousHash, hash)) throw faultAt(row, 'is not linked to the row before it')
  if (!isHash(row.hash, auditHash(row))) throw faultAt(row, 'its hash does not match')
}

function verifyBefore(row: AuditRow, left: string | undefined): void {
  const { origin, subject, before } = row
  if (origin === legacyOrigin || before === (left ?? null)) return
  if (before !== null && left !== undefined && isSame(left, before)) return
  throw faultAt(row, `before it, ${was(subject)} changed without an audit row`)
}

function verifyHead(stored: AuditHead | undefined, { seq, hash }: AuditHead): void {
  if (stored === undefined) throw new Fault('the audit trail has no head')
  if (stored.seq > seq) throw new Fault(`the audit trail ends at #${seq}, but its head is #${stored.seq}`)
  if (stored.seq !== seq || !isHash(stored.hash, hash)) {
    throw new Fault(`the head of the audit trail is not its last row, #${seq}`)
  }
}

function verifySettings(settings: { subject: string; text: string }[], left: Map<string, string>): void {
  for (const { subject, text } of settings) {
    const recorded = left.get(subject)
    if (recorded === undefined) throw new Fault(`${was(subject)} made without an audit row`)
    if (!isSame(recorded, text)) throw new Fault(`${was(subject)} changed without an audit row`)
    left.delete(subject)
  }
  const gone = [...left].find(([, recorded]) => recorded !== noSetting)
  if (gone !== undefined) throw new Fault(`${was(gone[0])} removed without an audit row`)
}

function was(subject: string): string {
  return subject === 'defaults' ? 'the default caps were' : `${subject} was`
}

/** Text that is not JSON, which the service never writes, equals nothing. */
function isSame(recorded: string, current: string): boolean {
  try {
    return isAsRecorded(recorded, current)
  } catch {
    return false
  }
}

function faultAt({ auditSeq }: AuditRow, what: string): Fault {
  return new Fault(`audit #${auditSeq}: ${what}`)
}
