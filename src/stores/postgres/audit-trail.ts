import { type AuditEvent, type AuditHead, type AuditRow, nextAuditRow } from '../../rules/audit-hash.ts'
import type { AccountId } from '../../rules/cursor.ts'
import { auditValues, checkedHead } from '../audit-event.ts'
import { partnerStatements as sql } from '../partner-statements.ts'
import { type Client, readingTable } from './database.ts'

/**
 * Inside the transaction of the change, whose turn it is (settings_version): so numbers follow each other in the order of
 * the commits, without a sequence.
 */
export async function appendAudit(client: Client, events: AuditEvent[]): Promise<void> {
  const { rows } = await readingTable('audit_head', () => client.query(sql.selectHeadToAppend))
  let head = checkedHead(rows[0])
  for (const event of events) {
    const row = nextAuditRow(head, event)
    await insertAuditRow(client, row)
    head = { seq: row.auditSeq, hash: row.hash }
  }
  await putAuditHead(client, head)
}

export async function auditHead(client: Client): Promise<AuditHead> {
  return readingTable('audit_head', async () => (await client.query(sql.selectAuditHead)).rows[0])
}

export async function putAuditHead(client: Client, { seq, hash }: AuditHead): Promise<void> {
  await client.query(sql.updateAuditHead, [seq, hash])
}

export async function insertAuditRow(client: Client, row: AuditRow): Promise<void> {
  await client.query({ name: 'insert-audit-row', text: sql.insertAuditRow, values: auditValues(row) })
}

/** The trail has no index by time: the latest rows are looked at, more than operators write in minutes. */
const latestRows = 10_000

/** The accounts that partners lost by a `partner deny` since then. */
export async function deniedAccounts(client: Client, since: number): Promise<AccountId[]> {
  const { rows } = await client.query(
    `SELECT before, after FROM audit
     WHERE audit_seq > (SELECT max(seq) FROM audit_head) - ${latestRows} AND action = 'partner deny' AND at >= $1`,
    [since],
  )
  return rows.flatMap(({ before, after }) => {
    const kept = new Set(grantedIn(after).map(({ tenantId }) => tenantId))
    return grantedIn(before).filter(({ tenantId }) => !kept.has(tenantId))
  })
}

function grantedIn(partner: string): AccountId[] {
  const { partnerId, grants } = JSON.parse(partner) as { partnerId: string; grants: { tenantId: string }[] }
  return grants.map(({ tenantId }) => ({ partnerId, tenantId }))
}
