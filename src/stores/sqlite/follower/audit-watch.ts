import { type AuditHead, emptyAuditHead } from '../../../rules/audit-hash.ts'
import { auditHead } from '../audit-trail.ts'
import type { Database } from '../database.ts'
import { ofLedger } from './followed-ledger.ts'

/**
 * Remembers the last row of the ledger's audit trail. A ledger without it was restored from a backup, or its log was damaged:
 * what is left is sound, and nothing else would say that a revoked key works again. Returns what looks at it once.
 */
export function watchAudit(
  operator: Database,
  openLedger: () => Database,
  warn: (message: string) => void,
): () => void {
  const seen = operator.prepare('SELECT audit_seq AS seq, hash FROM followed_audit')
  const save = operator.prepare('INSERT OR REPLACE INTO followed_audit VALUES (1, ?, ?)')

  return () => {
    const head: AuditHead | undefined = ofLedger(() => auditHead(openLedger()))
    if (head === undefined) return // somebody has deleted it, which verify says
    const last = (seen.get() as AuditHead | undefined) ?? emptyAuditHead
    if (isSame(last, head)) return
    if (last.seq > 0 && !ofLedger(() => hasRow(openLedger(), last))) warn(lostChanges)
    save.run(head.seq, head.hash)
  }
}

function isSame(one: AuditHead, other: AuditHead): boolean {
  return one.seq === other.seq && Buffer.compare(one.hash, other.hash) === 0
}

function hasRow(ledger: Database, { seq, hash }: AuditHead): boolean {
  return ledger.prepare('SELECT 1 FROM audit WHERE audit_seq = ? AND hash = ?').get(seq, hash) !== undefined
}

const lostChanges =
  'the ledger does not have the last change by an operator that was read from it: it was restored from a backup, or its log was damaged. A revoked key or token, or a suspended partner, may work again. Repeat the changes'
