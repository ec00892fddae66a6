import { h } from 'preact'
import type { ExplainedRefusal } from '../api-answers.ts'
import { copyBlock, copyButton } from '../components/copy-block.ts'
import { rows } from '../components/figures.ts'
import { code, mark, stored } from '../components/mark.ts'
import { pageHead } from '../components/page-head.ts'
import { body, grid, panel } from '../components/panel.ts'
import { whenLoaded } from '../components/states.ts'
import { useConsole, useTitle } from '../context.ts'
import { html } from '../html.ts'
import { useGet } from '../load.ts'
import { checkText } from '../words/checks.ts'
import { refusalForPartner } from '../words/refusal-for-partner.ts'
import { refusalVerdict } from '../words/refusal-verdict.ts'
import { longTime, utcClock } from '../words/times.ts'
import { SendAgain } from './refusal-send-again.ts'

/** Why a request was refused, and what now. `orderId` is what the operator searched for: the journal does not have it. */
export function RefusalPage({ path, orderId }: { path: string; orderId: string | null }) {
  const refusal = useGet<ExplainedRefusal>(path)
  const { data } = refusal
  const now = useConsole().api.now()
  useTitle(data === null ? 'Refusal' : refusalVerdict(data.refusal).title)
  return html`
    ${data === null ? pageHead({ title: 'Refusal', trail: trailOf(orderId) }) : head(data, orderId)}
    ${whenLoaded(refusal, { what: 'The refusal', lines: 12 }, (explained) => content(explained, orderId, now))}
  `
}

function trailOf(orderId: string | null) {
  return [
    { href: '/find', name: 'Find' },
    ...(orderId === null ? [] : [{ href: `/find?q=${encodeURIComponent(orderId)}`, name: orderId }]),
  ]
}

function head({ refusal, partnerName, partnerStatus }: ExplainedRefusal, orderId: string | null) {
  const { at, partnerId, tenantId } = refusal
  const ms = Date.parse(at)
  const partner =
    partnerName === null
      ? 'unknown partner'
      : html`<a href=${`/partners/${encodeURIComponent(partnerId)}`}>${stored(partnerName)}</a>`
  return pageHead({
    title: refusalVerdict(refusal).title,
    trail: trailOf(orderId),
    facts: html`${partner}${' · '}${stored(tenantId)}${' · '}<time datetime=${at}>${longTime(ms)}</time>${' '}<span
        class="nowrap"
        >(${utcClock(ms)})</span
      >${' · '}${code(refusal.code)}`,
    actions: copyButton({
      text: refusalForPartner(refusal, orderId, partnerStatus),
      label: 'Copy for the partner',
      isPrimary: true,
    }),
  })
}

function content(explained: ExplainedRefusal, orderId: string | null, now: number) {
  const { refusal } = explained
  const { verdict, proof } = refusalVerdict(refusal)
  return html`
    <div class="note bad"><b>${verdict}</b> ${proof}</div>
    ${grid(checksPanel(explained), h(SendAgain, { explained, orderId, now }), keptPanel(explained, orderId), forPartnerPanel(explained, orderId))}
  `
}

function checksPanel({ refusal, checks }: ExplainedRefusal) {
  if (checks.length === 0) return null
  const marks = {
    passed: () => mark('good', 'Passed'),
    failed: () => mark('bad', 'Refused'),
    'not reached': () => mark('inactive', 'Not checked'),
  }
  return panel(
    { title: 'Checks, in their published order', side: 'the first that fails decides', columns: 7 },
    body(
      html`<ol class="steps">
        ${checks.map(
          (check) => html`<li key=${check.name}>
            <b>${inSentenceCase(check.name)}</b>
            <span class=${check.result === 'failed' ? 'wrong' : 'soft'}>${checkText(check, refusal)}</span>
            ${marks[check.result]()}
          </li>`,
        )}
      </ol>`,
    ),
  )
}

/** Names of caps and headers stay as they are. */
function inSentenceCase(name: string): string {
  return name.startsWith('per') ? name : `${name.charAt(0).toUpperCase()}${name.slice(1)}`
}

function keptPanel({ refusal }: ExplainedRefusal, orderId: string | null) {
  const { requestId, keyId, endpoint } = refusal
  return panel(
    { title: 'What the journal kept', columns: 5 },
    body(
      rows([
        ['Request ID', html`<code>${requestId}</code>`],
        [
          'Order',
          endpoint === 'history'
            ? 'None: this was a request for award history'
            : orderId === null
              ? 'Only a fingerprint of the order ID. Search for the order to see what became of it.'
              : html`Matches the fingerprint of <b>${stored(orderId)}</b>, which you searched for`,
        ],
        ['Key', keyId === null ? 'Not known' : html`<code>${keyId}</code>`],
        ['Not kept', 'User, note, meta and body of a refused request'],
      ]),
    ),
  )
}

function forPartnerPanel({ refusal, partnerStatus }: ExplainedRefusal, orderId: string | null) {
  return panel(
    { title: 'For the partner', columns: 7 },
    body(
      copyBlock({ text: refusalForPartner(refusal, orderId, partnerStatus), label: 'Copy', isSmall: true }),
      html`<p class="small soft">
        Contains only what this partner sent or was told in the response${refusal.code === 'PARTNER_SUSPENDED' && ', and its own status now'}. Nothing about other partners, keys or how much a
        user has received.
      </p>`,
    ),
  )
}
