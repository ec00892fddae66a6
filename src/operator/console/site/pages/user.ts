import type { UserHistory } from '../api-answers.ts'
import { parseDay } from '../../../../rules/vietnam-day.ts'
import { empty } from '../components/empty.ts'
import { figures } from '../components/figures.ts'
import { mark, stored } from '../components/mark.ts'
import { levelOf, meter } from '../components/meter.ts'
import { note } from '../components/note.ts'
import { partnerName } from '../components/partner-name.ts'
import { pageHead } from '../components/page-head.ts'
import { grid, panel } from '../components/panel.ts'
import { whenLoaded } from '../components/states.ts'
import { table } from '../components/table.ts'
import { time } from '../components/time.ts'
import { useTitle } from '../context.ts'
import { html } from '../html.ts'
import { olderButton, type Pages, usePages } from '../load-pages.ts'
import { originText } from '../words/award-reasons.ts'
import { awardLink } from '../words/find-links.ts'
import { counted, grouped, usePercent } from '../words/numbers.ts'
import { monthName } from '../words/times.ts'
import { todayByPartner } from '../words/today-by-partner.ts'

/** What a person received in a tenant. `reference` is opaque, so that no address stands in a URL or a log. */
export function UserPage({ tenantId, reference }: { tenantId: string; reference: string }) {
  useTitle('EP history')
  const pages = usePages<UserHistory>(
    `/users/${encodeURIComponent(tenantId)}/${encodeURIComponent(reference)}`,
  )
  const { data } = pages.first
  return html`
    ${pageHead({
      title: data === null ? 'EP history' : stored(data.userEmail),
      trail: [{ href: '/find', name: 'Find' }],
      facts: html`Tenant ${stored(tenantId)}${
        data?.sandbox && html` ${mark('inactive', 'Sandbox: these EP do not count')}`
      }`,
    })}
    ${note({ kind: 'info' }, "Opening this page is recorded in the access log, because it shows a person's data.")}
    ${whenLoaded(pages.first, { what: 'The EP history', lines: 12 }, (history) => content(history, pages))}
  `
}

function content(history: UserHistory, pages: Pages<UserHistory>) {
  const { total, today, months, tenantId } = history
  const awards = pages.all.flatMap((page) => page.awards)
  if (awards.length === 0)
    return panel(
      { title: 'EP history' },
      empty({
        title: 'No EP in this tenant',
        text: 'This person has received nothing here. If the partner named another tenant, search for the address again.',
        actions: html`<a class="btn" href="/find">Find</a>`,
      }),
    )
  const [month] = months
  return html`
    ${figures([
      { name: 'Total EP', value: grouped(total) },
      {
        name: 'Today',
        value: grouped(today.points),
        unit: `of ${grouped(today.limit)} EP`,
        note: `${usePercent(today.points, today.limit)} of perUserDay. ${originText(today.from, tenantId)}`,
      },
      ...(month === undefined
        ? []
        : [{ name: monthText(month.month), value: grouped(month.points), unit: 'EP' }]),
    ])}
    ${grid(todayPanel(history, awards), monthsPanel(history), historyPanel(awards, pages))}
  `
}

function monthText(month: string): string {
  return monthName(parseDay(`${month}-01`)!)
}

type Award = UserHistory['awards'][number]

function todayPanel({ today }: UserHistory, awards: Award[]) {
  const { partners, missing } = todayByPartner(awards, today)
  const share = (points: number) =>
    html`<span class="hbar">${meter({ part: today.limit === 0 ? 1 : points / today.limit, level: levelOf(points, today.limit), marks: true })}</span>`
  const left = grouped(Math.max(0, today.limit - today.points))
  return panel(
    { title: 'Today, by partner', columns: 6, footer: 'The mark on each bar is 80% of perUserDay.' },
    table({
      caption: "Today's use of perUserDay by partner",
      columns: [
        { head: 'Partner' },
        { head: 'Awards', isNumber: true },
        { head: 'EP', isNumber: true },
        { head: 'Share of perUserDay', isWide: true },
      ],
      rows: [
        ...partners.map(({ partnerId, awards: count, points }) => ({
          key: partnerId,
          cells: [partnerName(partnerId), grouped(count), grouped(points), share(points)],
        })),
        ...(missing === 0
          ? []
          : [{ key: '', cells: ['In older awards, not loaded', '–', grouped(missing), share(missing)] }]),
      ],
      foot: ['All partners', '', grouped(today.points), `${left} EP left`],
    }),
  )
}

function monthsPanel({ months }: UserHistory) {
  const most = Math.max(1, ...months.map(({ points }) => points))
  return panel(
    { title: 'By month', columns: 6 },
    table({
      caption: 'EP by month',
      columns: [
        { head: 'Month' },
        { head: 'EP', isNumber: true },
        { head: 'Compared', isWide: true, isHeadHidden: true },
      ],
      rows: months.map(({ month, points }) => ({
        key: month,
        cells: [
          monthText(month),
          grouped(points),
          html`<span class="hbar">${meter({ part: points / most, level: 'past' })}</span>`,
        ],
      })),
    }),
  )
}

function historyPanel(awards: Award[], pages: Pages<UserHistory>) {
  return panel(
    {
      title: 'EP history',
      side: `newest first, ${counted(awards.length, 'award')}${pages.cursor === null ? '' : ' loaded'}`,
      columns: 12,
      ...(pages.cursor === null ? {} : { footer: olderButton(pages, 'Load older awards', true) }),
    },
    table({
      caption: 'EP history',
      columns: [
        { head: 'Time', keepsLine: true },
        { head: 'Partner' },
        { head: 'Order' },
        { head: 'Amount', isNumber: true },
        { head: 'EP', isNumber: true },
        { head: 'Note' },
      ],
      rows: awards.map((award) => ({
        key: award.epTransactionId,
        cells: [
          time(award.awardedAt),
          partnerName(award.partnerId),
          html`<a href=${awardLink(award)}>${stored(award.orderId)}</a>`,
          grouped(award.rawAmount),
          grouped(award.points),
          award.note === null ? '–' : stored(award.note),
        ],
      })),
    }),
  )
}
