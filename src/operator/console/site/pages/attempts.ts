import type { Refusal } from '../api-answers.ts'
import { code } from '../components/mark.ts'
import { time } from '../components/time.ts'
import { html } from '../html.ts'
import { refusalLink } from '../words/find-links.ts'
import { grouped } from '../words/numbers.ts'

/** Refusals of one order, newest first. The one that is being looked at is not a link. */
export function attempts(refusals: Refusal[], orderId: string | null, current: Refusal | null) {
  return html`<ol class="steps attempts" reversed>
    ${refusals.map((refusal) => {
      const { at, requestId, used, requested } = refusal
      const shown = time(at)
      return html`<li key=${`${at} ${requestId}`}>
        <span>
          ${requestId === current?.requestId && at === current.at ? html`<b>${shown}</b>` : html`<a href=${refusalLink(refusal, orderId)}>${shown}</a>`}
        </span>
        <span class="soft">
          ${requested !== null && `${grouped(requested)} EP requested`}${used !== null && `, ${grouped(used)} used`}
        </span>
        ${code(refusal.code)}
      </li>`
    })}
  </ol>`
}
