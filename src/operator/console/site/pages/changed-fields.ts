import type { AuditTrail } from '../api-answers.ts'
import { time } from '../components/time.ts'
import { html } from '../html.ts'
import { type Said, shownChanges } from '../words/audited.ts'

/** What a change made different, field by field. */
export function changedFields({ changes, before }: AuditTrail['changes'][number]) {
  return shownChanges(changes, before === null).map(
    (one) => html`<span class="change" key=${one.field}>
      <bdi>${one.field}</bdi>:${' '}${one.before !== null && html`<bdi class="before">${said(one.before)}</bdi> → `}<bdi>${said(one.after)}</bdi>
    </span>`,
  )
}

function said(parts: Said) {
  return parts.map((part) => (typeof part === 'string' ? part : time(new Date(part.at).toISOString())))
}
