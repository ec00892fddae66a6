import { type AuditRow, auditHash } from '../rules/audit-hash.ts'
import { isoTime } from '../rules/iso-time.ts'
import type { LedgerQueries } from './ledger-queries.ts'
import { namedPartner, namedTenant } from './named.ts'
import { type FieldChange, settingChanges } from './setting-changes.ts'
import { withoutFingerprints } from './without-fingerprints.ts'

/** One row of the audit trail, for people. */
export type AuditedChange = {
  auditSeq: number
  at: string
  actor: string
  origin: string
  address: string | null
  action: string
  subject: string
  reason: string | null
  changes: FieldChange[]
  before: unknown
  after: unknown
  /** False: the row was changed after it was written. `verify` proves the whole trail. */
  hashMatches: boolean
}

/** The newest changes, newest first, and how many older ones were left out. */
export type AuditAnswer = { changes: AuditedChange[]; older: number }

type AuditQuestion = {
  since?: number | undefined
  until?: number | undefined
  partnerId?: string | undefined
  tenantId?: string | undefined
  /** Only rows before this one. */
  before?: number | undefined
  limit: number
}

/** Who changed what, when and why. */
export async function audit(queries: LedgerQueries, question: AuditQuestion): Promise<AuditAnswer> {
  const { since, partnerId, tenantId, limit } = question
  const { until = Number.POSITIVE_INFINITY, before = Number.POSITIVE_INFINITY } = question
  if (partnerId !== undefined) await namedPartner(queries, partnerId)
  if (tenantId !== undefined) await namedTenant(queries, tenantId)
  const subjects = [
    ...(partnerId === undefined ? [] : [`partner ${partnerId}`]),
    ...(tenantId === undefined ? [] : [`tenant ${tenantId}`]),
  ]
  let newest: AuditRow[] = []
  let count = 0
  for await (const page of queries.auditRows({
    since,
    subjects: subjects.length > 0 ? subjects : undefined,
  })) {
    const rows = page.filter(({ auditSeq, at }) => auditSeq < before && at < until)
    count += rows.length
    newest = [...newest, ...rows].slice(-limit)
  }
  return { changes: newest.reverse().map(auditedChange), older: count - newest.length }
}

function auditedChange(row: AuditRow): AuditedChange {
  const { auditSeq, at, actor, origin, address, action, subject, reason } = row
  const [before, after] = withoutFingerprints(parsed(row.before), parsed(row.after))
  return {
    auditSeq,
    at: isoTime(at, 'audit'),
    actor,
    origin,
    address,
    action,
    subject,
    reason,
    changes: settingChanges(before, after),
    before,
    after,
    hashMatches: Buffer.compare(row.hash, auditHash(row)) === 0,
  }
}

/** Text that is not JSON, which the service never writes, is shown as it is. */
function parsed(text: string | null): unknown {
  if (text === null) return null
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
