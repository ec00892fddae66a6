import { useEffect } from 'preact/hooks'
import type { AuditTrail } from '../api-answers.ts'
import { empty } from '../components/empty.ts'
import { stored } from '../components/mark.ts'
import { panel } from '../components/panel.ts'
import { whenLoaded } from '../components/states.ts'
import { sub, table } from '../components/table.ts'
import { time } from '../components/time.ts'
import { useMay } from '../context.ts'
import { html } from '../html.ts'
import { useGet } from '../load.ts'
import { auditLink } from '../components/audit-link.ts'
import { actorName } from '../words/audited.ts'
import { changedFields } from './changed-fields.ts'

const rowsMax = 5

/** Its rows of the audit trail. `version` grows with every change, so that it is shown at once. */
export function ChangesPanel({ partnerId, version }: { partnerId: string; version: number }) {
  const mayRead = useMay('audit.read')
  const id = encodeURIComponent(partnerId)
  const loaded = useGet<AuditTrail>(mayRead ? `/audit?partnerId=${id}&limit=${rowsMax}` : null)
  useEffect(() => {
    if (version > 0) loaded.reload()
  }, [version])
  if (!mayRead) return null
  return panel(
    {
      title: 'Changes',
      columns: 12,
      id: 'changes',
      side: html`<a href=${`/audit?partner=${id}`}>All changes</a>`,
    },
    whenLoaded(loaded, { what: 'The changes', lines: 5 }, ({ changes }) =>
      changes.length === 0
        ? empty({ title: 'No changes', text: 'Nothing about this partner is in the audit.' })
        : table({
            caption: 'Latest changes of the partner',
            columns: [
              { head: 'No.', isPlain: true },
              { head: 'Time', keepsLine: true },
              { head: 'Who' },
              { head: 'Action' },
              { head: 'What' },
              { head: 'Reason' },
            ],
            rows: changes.map((change) => ({ key: String(change.auditSeq), cells: cellsOf(change) })),
          }),
    ),
  )
}

function cellsOf(change: AuditTrail['changes'][number]) {
  const { auditSeq, at, actor, action, reason } = change
  const { name, kind } = actorName(actor)
  return [
    auditLink(auditSeq),
    time(at),
    html`<span class="block">${stored(name)}${kind !== null && sub(kind)}</span>`,
    action,
    html`<span class="block">${changedFields(change)}</span>`,
    reason === null ? html`<span class="soft">None given</span>` : stored(reason),
  ]
}
