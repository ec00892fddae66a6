import { type AuditEvent, type AuditHead, type AuditRow, nextAuditRow } from '../../rules/audit-hash.ts'
import { auditColumns, auditValues } from '../audit-event.ts'
import type { Database } from './database.ts'

/** Inside the transaction of the change: it is recorded with it, or neither is there. */
export function appendAudit(database: Database, events: AuditEvent[]): void {
  let head = auditHead(database)
  const rows = events.map((event) => {
    const row = nextAuditRow(head, event)
    head = { seq: row.auditSeq, hash: row.hash }
    return row
  })
  insertAuditRows(database, rows)
  putAuditHead(database, head)
}

export function auditHead(database: Database): AuditHead {
  return database.prepare('SELECT seq, hash FROM audit_head').get() as AuditHead
}

export function putAuditHead(database: Database, { seq, hash }: AuditHead): void {
  database.prepare('UPDATE audit_head SET seq = ?, hash = ?').run(seq, hash)
}

export function insertAuditRows(database: Database, rows: AuditRow[]): void {
  const insert = database.prepare(
    `INSERT INTO audit (${auditColumns.join(', ')}) VALUES (${auditColumns.map(() => '?').join(', ')})`,
  )
  for (const row of rows) insert.run(...auditValues(row))
}
