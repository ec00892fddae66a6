import { type AuditEvent, type AuditHead, type AuditRow, nextAuditRow } from '../../rules/audit-hash.ts'
import { auditValues, checkedHead } from '../audit-event.ts'
import { partnerStatements as sql } from '../partner-statements.ts'
import type { Database } from './database.ts'
import { prepareNumbered } from './numbered-parameters.ts'
import { readable } from './stored-values.ts'

/** Inside the transaction of the change: it is recorded with it, or neither is there. */
export function appendAudit(database: Database, events: AuditEvent[]): void {
  const stored = readable(() => prepareNumbered(database, sql.selectHeadToAppend).get(), 'audit_head')
  let head = checkedHead(stored as (AuditHead & { isLast: number }) | undefined)
  const rows = events.map((event) => {
    const row = nextAuditRow(head, event)
    head = { seq: row.auditSeq, hash: row.hash }
    return row
  })
  insertAuditRows(database, rows)
  putAuditHead(database, head)
}

export function auditHead(database: Database): AuditHead {
  return readable(() => prepareNumbered(database, sql.selectAuditHead).get(), 'audit_head') as AuditHead
}

export function putAuditHead(database: Database, { seq, hash }: AuditHead): void {
  prepareNumbered(database, sql.updateAuditHead).run(seq, hash)
}

export function insertAuditRows(database: Database, rows: AuditRow[]): void {
  const insert = prepareNumbered(database, sql.insertAuditRow)
  for (const row of rows) insert.run(...auditValues(row))
}
