import type { RefusalList } from '../api-answers.ts'
import { empty } from '../components/empty.ts'
import { code, stored } from '../components/mark.ts'
import { meter } from '../components/meter.ts'
import { panel } from '../components/panel.ts'
import { whenLoaded } from '../components/states.ts'
import { table } from '../components/table.ts'
import { time } from '../components/time.ts'
import { html } from '../html.ts'
import { useGet } from '../load.ts'
import { refusalLink } from '../words/find-links.ts'
import { counted, grouped } from '../words/numbers.ts'
import { refusalsLink } from '../words/refusals-query.ts'

const refreshMs = 15_000
const rowsMax = 8

/** What it was refused in the last 24 hours, and how often it sent an order again. */
export function RefusalPanels({ partnerId }: { partnerId: string }) {
  const path = `/refusals?partnerId=${encodeURIComponent(partnerId)}&since=24h&limit=${rowsMax}`
  const all = { partner: partnerId, all: '1' }
  const loaded = useGet<RefusalList>(path, { everyMs: refreshMs })
  return html`
    ${panel(
      {
        title: 'Refusals, last 24 hours',
        columns: 7,
        id: 'refusals',
        ...(loaded.data === null ? {} : { side: countLinks(loaded.data, all) }),
      },
      whenLoaded(loaded, { what: 'The refusals', lines: 6 }, (list) => refusalsTable(list, all)),
    )}
    ${panel(
      {
        title: 'Double sending, last 24 hours',
        columns: 5,
        id: 'double-sending',
        footer:
          'Replays get 200 DUPLICATE and credit nothing. Many within 10 s suggest a client timeout that is too short.',
      },
      whenLoaded(loaded, { what: 'The replays', lines: 6 }, replaysTable),
    )}
  `
}

/** Sandbox tenants and history requests are among them: what a partner tries out first is refused most. */
type All = { partner: string; all: string }

function countLinks({ total, counts }: RefusalList, all: All) {
  const byCode = Map.groupBy(counts, (one) => one.code)
  const most = [...byCode]
    .map(([name, list]) => ({ name, refusals: list.reduce((sum, { refusals }) => sum + refusals, 0) }))
    .sort((a, b) => b.refusals - a.refusals)
    .slice(0, 2)
  return html`<a href=${refusalsLink(all)}>${counted(total, 'refusal')}</a>${most.map(
    ({ name, refusals }) =>
      html` · <a href=${refusalsLink({ ...all, code: name })}>${name} ${grouped(refusals)}</a>`,
  )}`
}

function refusalsTable({ rows, total }: RefusalList, all: All) {
  if (rows.length === 0) {
    return empty({
      title: total === 0 ? 'Nothing was refused' : 'No single refusals are kept',
      text:
        total === 0
          ? 'In the last 24 hours every request of this partner was carried out.'
          : 'Refusals are counted, but REFUSAL_DAYS is 0, so none is kept by itself.',
      actions: html`<a class="btn" href=${refusalsLink({ ...all, since: '30d' })}>Refusals of the last 30 days</a>`,
    })
  }
  return html`${table({
    caption: 'Latest refusals',
    columns: [
      { head: 'Time', isPlain: true },
      { head: 'Code' },
      { head: 'Cap' },
      { head: 'Tenant' },
      { head: 'Requested', isNumber: true },
      { head: 'Used then', isNumber: true },
    ],
    rows: rows.map((row) => ({
      key: `${row.at} ${row.requestId}`,
      cells: [
        html`<a href=${refusalLink(row, null)}>${time(row.at)}</a>`,
        code(row.code),
        row.cap ?? html`<span class="soft">–</span>`,
        row.tenantId === '(unknown)' ? html`<span class="soft">–</span>` : stored(row.tenantId),
        row.requested === null ? html`<span class="soft">–</span>` : `${grouped(row.requested)} EP`,
        row.used === null
          ? html`<span class="soft">–</span>`
          : `${grouped(row.used)} of ${grouped(row.limit)}`,
      ],
    })),
  })}
  ${
    total > rows.length &&
    html`<p class="body soft small">
    The latest ${rows.length} of ${grouped(total)}. <a href=${refusalsLink(all)}>Show all</a>
  </p>`
  }`
}

function replaysTable({ replays }: RefusalList) {
  const total = replays.reduce((sum, one) => sum + one.replays, 0)
  const most = Math.max(1, ...replays.map((one) => one.replays))
  if (total === 0) return empty({ title: 'No order was sent twice', text: 'In the last 24 hours.' })
  return table({
    caption: `Replays by delay: ${counted(total, 'replay')}`,
    narrow: 'scrolls',
    columns: [
      { head: 'After the original' },
      { head: 'Replays', isNumber: true },
      { head: 'Share', isHeadHidden: true, isWide: true },
    ],
    rows: replays.map(({ age, replays: count }) => ({
      key: age,
      cells: [age, grouped(count), meter({ part: count / most })],
    })),
    foot: ['Total', grouped(total), ''],
  })
}
