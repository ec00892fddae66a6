import type { Alert, Overview } from '../api-answers.ts'
import { empty } from '../components/empty.ts'
import { mark, stored } from '../components/mark.ts'
import { panel } from '../components/panel.ts'
import { partnerName } from '../components/partner-name.ts'
import { time } from '../components/time.ts'
import { html } from '../html.ts'
import { grouped } from '../words/numbers.ts'

/** What operators were told and is not over, each with a link to its cause. */
export function alertsPanel({ alerts }: Overview) {
  return panel(
    { title: 'Open alerts', columns: 5, side: `${grouped(alerts.length)} open` },
    alerts.length === 0
      ? empty({
          title: 'No open alerts',
          text: 'Nothing needs attention. Caps, failures, wrong signatures, clocks and double sending are watched.',
          command: 'partner-credit alerts --since 7d',
        })
      : html`<ul class="alerts">${alerts.map(alertItem)}</ul>`,
  )
}

function alertItem(alert: Alert) {
  const { kind, partnerId, raisedAt, text } = alert
  const { name, isBad, place } = kinds[kind]
  return html`<li key=${`${kind} ${partnerId} ${alert.tenantId} ${alert.keyId} ${raisedAt}`}>
    <span class="soft small">${time(raisedAt)}</span>
    <span>
      <b>${mark(isBad ? 'bad' : 'attention', html`<span>${name}: ${partnerName(partnerId)}</span>`)}</b>
      <span class="small">
        <a href=${`/partners/${encodeURIComponent(partnerId)}#${place}`}>${stored(text)}</a>
      </span>
    </span>
  </li>`
}

/** `place`: the panel of the partner's page that shows the cause. */
const kinds: Record<Alert['kind'], { name: string; isBad: boolean; place: string }> = {
  capReached: { name: 'Daily cap refuses awards', isBad: true, place: 'caps' },
  capNear: { name: '80% of the daily cap', isBad: false, place: 'caps' },
  failuresJumped: { name: 'Many failures', isBad: true, place: 'refusals' },
  wrongSignatures: { name: 'Signature failures', isBad: true, place: 'keys' },
  clockOff: { name: 'Clock difference', isBad: false, place: 'keys' },
  doubleSending: { name: 'Double sending', isBad: false, place: 'double-sending' },
  userDayProbing: { name: 'Users reach their daily cap', isBad: false, place: 'refusals' },
}
