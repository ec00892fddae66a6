import type { FindAnswer } from '../api-answers.ts'
import { code, mark, stored } from '../components/mark.ts'
import { panel } from '../components/panel.ts'
import { partnerName } from '../components/partner-name.ts'
import { table } from '../components/table.ts'
import { time } from '../components/time.ts'
import { html } from '../html.ts'
import { awardLink, refusalLink, userLink, usersOf } from '../words/find-links.ts'
import { counted, grouped, shortened } from '../words/numbers.ts'

/** The users whose address was searched for. */
export function foundUsers(credited: FindAnswer['credited']) {
  const users = usersOf(credited)
  if (users.length === 0) return null
  return panel(
    { title: 'EP history', side: counted(users.length, 'tenant') },
    table({
      caption: 'Tenants in which this user has EP',
      columns: [{ head: 'Tenant' }, { head: 'User', isHeadHidden: true }],
      rows: users.map((user) => ({
        key: user.tenantId,
        cells: [
          stored(user.tenantId),
          html`<a href=${userLink(user)}>Open the EP history in <bdi>${user.tenantId}</bdi></a>`,
        ],
      })),
    }),
  )
}

export function foundAwards({ credited, hasMoreCredited }: FindAnswer) {
  const partners = new Set(credited.map(({ partnerId }) => partnerId)).size
  return panel(
    {
      title: 'Credited',
      side: `${counted(credited.length, 'award')}${partners > 1 ? `, from ${partners} partners` : ''}`,
      ...(hasMoreCredited ? { footer: 'There are older awards. Only the newest are listed.' } : {}),
    },
    table({
      caption: 'Awards that were found',
      columns: [
        { head: 'Order' },
        { head: 'Partner' },
        { head: 'Tenant' },
        { head: 'Credited', keepsLine: true },
        { head: 'Amount', isNumber: true },
        { head: 'EP', isNumber: true },
        { head: 'Note', isMinor: true },
      ],
      rows: credited.map((award) => ({
        key: award.epTransactionId,
        cells: [
          html`<a href=${awardLink(award)}>${stored(award.orderId)}</a>`,
          partnerName(award.partnerId),
          html`${stored(award.tenantId)}${award.mode === 'sandbox' && html` ${mark('inactive', 'Sandbox')}`}`,
          time(award.awardedAt),
          grouped(award.rawAmount),
          grouped(award.points),
          award.note === null ? '–' : stored(award.note),
        ],
      })),
    }),
  )
}

export function foundRefusals({ text, refused, hasMoreRefused, refusalsSince }: FindAnswer) {
  const since = refusalsSince === null ? '' : html` They are on record since ${time(refusalsSince)}.`
  return panel(
    {
      title: 'Refused',
      side: counted(refused.length, 'refusal'),
      footer: html`${hasMoreRefused && 'There are older refusals. '}Refusals keep a fingerprint of the order ID, not the order ID itself.${since}`,
    },
    table({
      caption: 'Refusals that were found',
      columns: [
        { head: 'Time', keepsLine: true },
        { head: 'Partner' },
        { head: 'Tenant' },
        { head: 'Code' },
        { head: 'Requested', isNumber: true },
        { head: 'Request ID' },
      ],
      rows: refused.map((refusal) => refusalRow(refusal, refusal.foundAs.includes('order') ? text : null)),
    }),
  )
}

function refusalRow(refusal: FindAnswer['refused'][number], orderId: string | null) {
  const { at, partnerId, tenantId, requested, requestId } = refusal
  return {
    key: `${at} ${requestId}`,
    cells: [
      html`<a href=${refusalLink(refusal, orderId)}>${time(at)}</a>`,
      partnerName(partnerId),
      stored(tenantId),
      code(refusal.code),
      requested === null ? '–' : `${grouped(requested)} EP`,
      html`<code>${shortened(requestId)}</code>`,
    ],
  }
}
