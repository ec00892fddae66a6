import type { RefusalList } from '../api-answers.ts'
import { empty } from '../components/empty.ts'
import { code, stored } from '../components/mark.ts'
import { partnerName } from '../components/partner-name.ts'
import { table } from '../components/table.ts'
import { time } from '../components/time.ts'
import { html } from '../html.ts'
import type { Router } from '../router.ts'
import { refusalLink } from '../words/find-links.ts'
import { counted, grouped, shortened } from '../words/numbers.ts'

const countsMax = 50
const unknown = html`<span class="soft">–</span>`

/** By partner, code and cap, most frequent first. Each row links to its own refusals. */
export function countsTable({ counts, total }: RefusalList, router: Router) {
  const hidden = counts.length - countsMax
  return html`${table({
    caption: 'Refusals by partner and code',
    columns: [
      { head: 'Partner' },
      { head: 'Code' },
      { head: 'Cap' },
      { head: 'Refused', isNumber: true },
      { head: 'EP refused', isNumber: true },
    ],
    rows: counts.slice(0, countsMax).map((one) => ({
      key: `${one.partnerId} ${one.code} ${one.cap}`,
      cells: [
        html`<a href=${router.withQuery({ partner: one.partnerId })}>${partnerName(one.partnerId)}</a>`,
        html`<a href=${router.withQuery({ partner: one.partnerId, code: one.code })}>${code(one.code)}</a>`,
        one.cap ?? unknown,
        grouped(one.refusals),
        grouped(one.points),
      ],
    })),
    foot: ['Total', '', '', grouped(total), grouped(counts.reduce((sum, { points }) => sum + points, 0))],
  })}
  ${hidden > 0 && html`<p class="body soft small">And ${counted(hidden, 'rarer combination')}. Choose a partner or a code to see them.</p>`}`
}

/** Newest first. Each links to the page that explains it. */
export function rowsTable(rows: RefusalList['rows']) {
  if (rows.length === 0)
    return empty({
      title: 'No single refusals are kept',
      text: 'They are counted above, but older than what is kept, or REFUSAL_DAYS is 0. Choose a later period.',
    })
  return table({
    caption: 'Single refusals',
    columns: [
      { head: 'Time', isPlain: true, keepsLine: true },
      { head: 'Partner' },
      { head: 'Tenant' },
      { head: 'Code' },
      { head: 'Cap' },
      { head: 'Requested', isNumber: true },
      { head: 'Used then', isNumber: true },
      { head: 'Request ID', isMinor: true },
    ],
    rows: rows.map((row) => ({
      key: `${row.at} ${row.requestId}`,
      cells: [
        html`<a href=${refusalLink(row, null)}>${time(row.at)}</a>`,
        partnerName(row.partnerId),
        row.tenantId === '(unknown)' ? unknown : stored(row.tenantId),
        code(row.code),
        row.cap ?? unknown,
        row.requested === null ? unknown : `${grouped(row.requested)} EP`,
        row.used === null ? unknown : `${grouped(row.used)} of ${grouped(row.limit)}`,
        html`<code title=${row.requestId}>${shortened(row.requestId)}</code>`,
      ],
    })),
  })
}

export function noRefusals(router: Router) {
  const clear = Object.fromEntries(['partner', 'tenant', 'code', 'all'].map((name) => [name, null]))
  return empty({
    title: 'Nothing was refused',
    text: 'In this period no request matches these filters. Look at a longer period, or remove the filters.',
    actions: html`<a class="btn" href=${router.withQuery({ since: '30d', until: null })}>Last 30 days</a>
      <a class="btn" href=${router.withQuery(clear)}>Remove the filters</a>`,
    command: 'partner-credit refusals --since 30d',
  })
}
