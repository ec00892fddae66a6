import {
  type AuditEvent,
  type AuditHead,
  type AuditRow,
  emptyAuditHead,
  nextAuditRow,
} from '../rules/audit-hash.ts'
import { isAsRecorded } from '../rules/recorded-settings.ts'
import type { Setting } from './audit-event.ts'

/** An audit row from before the trail was a chain. */
export type LegacyRow = Pick<AuditEvent, 'at' | 'actor' | 'action' | 'subject' | 'before' | 'after'>

/** Of a row that does not know where it came from. */
const legacyOrigin = 'not recorded'

/** What such a row says of a setting that was deleted without the service. */
const noSetting = 'null'

/**
 * Makes a chain of the audit rows of an older version: first the rows, in their order; then, because tenants had been
 * made without one, a row for each setting whose current value no row has. From there on the trail is complete.
 */
export function chainLegacyAudit() {
  const latest = new Map<string, string>()
  let head: AuditHead = emptyAuditHead

  function append(event: AuditEvent): AuditRow {
    const row = nextAuditRow(head, event)
    head = { seq: row.auditSeq, hash: row.hash }
    latest.set(row.subject, row.after)
    return row
  }

  return {
    head: () => head,
    row: ({ at, actor, action, subject, before, after }: LegacyRow) =>
      append({
        at,
        actor,
        action,
        subject,
        before,
        after,
        reason: null,
        origin: legacyOrigin,
        address: null,
      }),
    rowsOfSettings(settings: Setting[], at: number): AuditRow[] {
      const found = (subject: string, after: string) =>
        append({
          at,
          actor: 'migrate',
          action: 'recorded as found',
          subject,
          before: latest.get(subject) ?? null,
          after,
          reason: null,
          origin: 'service',
          address: null,
        })
      const gone = new Set(latest.keys()).difference(new Set(settings.map(({ subject }) => subject)))
      return [
        ...settings
          .filter(({ subject, text }) => !isRecorded(latest.get(subject), text))
          .map(({ subject, text }) => found(subject, text)),
        ...[...gone].map((subject) => found(subject, noSetting)),
      ]
    },
  }
}

function isRecorded(after: string | undefined, text: string): boolean {
  try {
    return after !== undefined && isAsRecorded(after, text)
  } catch {
    return false // the old table holds text that is not JSON
  }
}
