import type { ExplainedAward } from '../api-answers.ts'
import { copyBlock, copyButton } from '../components/copy-block.ts'
import { mark, stored } from '../components/mark.ts'
import { pageHead } from '../components/page-head.ts'
import { partnerLink } from '../components/partner-name.ts'
import { body, grid, panel } from '../components/panel.ts'
import { whenLoaded } from '../components/states.ts'
import { rows } from '../components/figures.ts'
import { sub, table } from '../components/table.ts'
import { time } from '../components/time.ts'
import { useTitle } from '../context.ts'
import { html } from '../html.ts'
import { useGet } from '../load.ts'
import { auditLink } from '../components/audit-link.ts'
import { actorName } from '../words/audited.ts'
import { awardForPartner } from '../words/award-for-partner.ts'
import { awardSum, originText } from '../words/award-reasons.ts'
import { userLink } from '../words/find-links.ts'
import { counted, grouped, usePercent } from '../words/numbers.ts'
import { longTime, utcClock } from '../words/times.ts'
import { attempts } from './attempts.ts'
import { replaysPanel } from './award-replays.ts'

/** Why an award has so many EP: the sum, the caps and totals of that moment, and its place in the chain. */
export function AwardPage({ id }: { id: string }) {
  const award = useGet<ExplainedAward>(`/awards/${encodeURIComponent(id)}`)
  const { data } = award
  useTitle(data === null ? 'Award' : `${grouped(data.arithmetic.points)} EP for order ${data.orderId}`)
  return html`
    ${data === null ? pageHead({ title: 'Award', trail }) : head(data)}
    ${whenLoaded(award, { what: 'The award', lines: 12 }, explained)}
  `
}

const trail = [{ href: '/find', name: 'Find' }]

function head(award: ExplainedAward) {
  const { orderId, partnerId, tenantId, sandbox, awardedAt, arithmetic } = award
  const at = Date.parse(awardedAt)
  return pageHead({
    title: html`${grouped(arithmetic.points)} EP for order ${stored(orderId)}`,
    trail,
    facts: html`${partnerLink(partnerId)} ·${' '}
      ${stored(tenantId)}${sandbox && html` ${mark('inactive', 'Sandbox: these EP do not count')}`} · credited${' '}
      <time datetime=${awardedAt}>${longTime(at)}</time> <span class="nowrap">(${utcClock(at)})</span>`,
    actions: copyButton({ text: awardForPartner(award), label: 'Copy for the partner', isPrimary: true }),
  })
}

function explained(award: ExplainedAward) {
  return grid(
    sumPanel(award),
    capsPanel(award),
    requestPanel(award),
    chainPanel(award),
    replaysPanel(award),
    refusalsPanel(award),
    forPartnerPanel(award),
  )
}

function sumPanel({ arithmetic }: ExplainedAward) {
  const { title, lines, sentence } = awardSum(arithmetic)
  const credited = lines.length - 2
  return panel(
    { title, side: 'points = floor(amount / rate)', columns: 5 },
    body(
      html`<dl class="sum">
        ${lines.map(({ name, value }, index) => {
          const look = index === credited ? 't' : index > credited ? 'soft' : ''
          return html`<dt class=${look}>${name}</dt><dd class=${look}>${value}</dd>`
        })}
      </dl>`,
      html`<p class="small soft">${sentence}</p>`,
    ),
  )
}

type Cap = ExplainedAward['caps']['perTx']

function capsPanel({ caps, tenantId, day, arithmetic }: ExplainedAward) {
  const { perTx, perPartnerDay, perUserDay } = caps
  const after = (value: number, limit: number) => html`${grouped(value)}${sub(usePercent(value, limit))}`
  const row = (name: string, where: string, cap: Cap, before: number | null, total: number) => ({
    key: name,
    cells: [
      html`${name}${where !== '' && sub(where)}`,
      grouped(before),
      after(total, cap.limit),
      grouped(cap.limit),
      origin(cap, tenantId),
    ],
  })
  return panel(
    {
      title: 'Caps in force at that moment',
      side: 'stored in the entry',
      columns: 7,
      footer: 'All caps had room. Caps are inclusive: before + award ≤ limit.',
    },
    table({
      caption: 'Caps and totals before and after',
      columns: [
        { head: 'Cap' },
        { head: 'Before', isNumber: true },
        { head: 'After', isNumber: true },
        { head: 'Limit', isNumber: true },
        { head: 'Origin' },
      ],
      rows: [
        row('perTx', '', perTx, null, arithmetic.points),
        row('perPartnerDay', `${tenantId}, ${day}`, perPartnerDay, perPartnerDay.before, perPartnerDay.after),
        row('perUserDay', 'this user, all partners', perUserDay, perUserDay.before, perUserDay.after),
      ],
    }),
  )
}

function origin({ origin: from }: Cap, tenantId: string) {
  const change = from?.change ?? null
  return html`${originText(from?.from, tenantId)}${
    change !== null &&
    sub(
      html`<bdi>${actorName(change.actor).name}</bdi>, ${time(change.at)} (${auditLink(change.auditSeq, `audit #${change.auditSeq}`)})`,
      change.reason !== null && html`: <bdi>${change.reason}</bdi>`,
    )
  }`
}

function requestPanel({ userEmail, userRef, note, tenantId, epTransactionId }: ExplainedAward) {
  const hidden = html`<span class="soft">Your role does not see personal data</span>`
  return panel(
    { title: 'Request', columns: 6 },
    body(
      rows([
        [
          'User',
          userEmail === null
            ? hidden
            : userRef === null
              ? stored(userEmail)
              : html`<a href=${userLink({ tenantId, ref: userRef })}>${stored(userEmail)}</a>`,
        ],
        ['Note', note !== null ? stored(note) : userEmail === null ? hidden : '–'],
        ['Transaction ID', html`<code>${epTransactionId}</code>`],
      ]),
    ),
  )
}

function chainPanel({ partnerId, tenantId, chain }: ExplainedAward) {
  const { seq, length, hash, hashMatches, isLinked } = chain
  const verdict = !hashMatches
    ? mark('bad', 'Hash checked now: does not match. Run verify')
    : !isLinked
      ? mark('bad', 'Hash matches, but what follows is not linked to it. Run verify')
      : mark('good', 'Hash checked now: matches')
  return panel(
    { title: 'Position in the ledger', side: verdict, columns: 6 },
    body(
      rows([
        ['Account', html`<bdi>${partnerId}</bdi> / <bdi>${tenantId}</bdi>`],
        ['Entry', `${grouped(seq)} of ${grouped(length)}`],
        ['Hash', html`<code>${hash}</code>`],
      ]),
      html`<p class="small soft">
        Each hash covers the hash before it. <a href="/ledger">Verify the whole ledger</a>
      </p>`,
    ),
  )
}

function refusalsPanel({ orderId, journal }: ExplainedAward) {
  const { refusals, problem } = journal
  return panel(
    { title: 'Refused before or after', side: counted(refusals.length, 'refusal'), columns: 6 },
    body(
      problem !== null
        ? html`<p>Refusals of this order are not known: <bdi>${problem}</bdi></p>`
        : refusals.length === 0
          ? html`<p class="soft">No refusal of this order is on record.</p>`
          : attempts(refusals, orderId, null),
    ),
  )
}

function forPartnerPanel(award: ExplainedAward) {
  return panel(
    { title: 'For the partner', columns: 6 },
    body(
      copyBlock({ text: awardForPartner(award), label: 'Copy', isSmall: true }),
      html`<p class="small soft">Contains only what this partner sent or was told. No totals, no other partners.</p>`,
    ),
  )
}
