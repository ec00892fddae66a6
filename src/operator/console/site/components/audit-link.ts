import { html } from '../html.ts'
import { grouped } from '../words/numbers.ts'

/** The number of a row of the audit trail, which leads to that row. */
export function auditLink(auditSeq: number, text = grouped(auditSeq)) {
  return html`<a href=${`/audit?change=${auditSeq}`}>${text}</a>`
}
