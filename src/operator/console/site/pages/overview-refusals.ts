import { dayMs, dayText, vietnamDay } from '../../../../rules/vietnam-day.ts'
import type { Overview } from '../api-answers.ts'
import { empty } from '../components/empty.ts'
import { code } from '../components/mark.ts'
import { meter } from '../components/meter.ts'
import { panel } from '../components/panel.ts'
import { table } from '../components/table.ts'
import { html } from '../html.ts'
import { grouped } from '../words/numbers.ts'
import { refusalsLink } from '../words/refusals-query.ts'

/** What partners were refused today, and how often. */
export function refusalCodesPanel(overview: Overview) {
  const { refusalsByCode, today } = overview
  const most = Math.max(1, ...refusalsByCode.map(({ refusals }) => refusals))
  const total = refusalsByCode.reduce((sum, { refusals }) => sum + refusals, 0)
  const before = refusalsByCode.reduce((sum, { yesterday }) => sum + yesterday, 0)
  const days = periodsOf(overview)
  const requests = today.awards + today.refused
  return panel(
    {
      title: 'Refusals by code',
      columns: 7,
      side: html`<a href=${refusalsLink(periodsOf(overview).today)}>All of today</a>`,
      footer: `Yesterday counts until the same time.${
        requests === 0
          ? ''
          : ` Today ${((today.refused / requests) * 100).toFixed(1)}% of all requests for an award were refused.`
      }`,
    },
    refusalsByCode.length === 0
      ? empty({
          title: 'Nothing was refused',
          text: 'Neither today nor yesterday until this time.',
          actions: html`<a class="btn" href=${refusalsLink({ since: '30d' })}>Refusals of the last 30 days</a>`,
        })
      : table({
          caption: 'Refusals by code, today and yesterday until the same time',
          narrow: 'scrolls',
          columns: [
            { head: 'Code', isPlain: true },
            { head: 'Today', isNumber: true },
            { head: 'Share', isHeadHidden: true, isWide: true, isMinor: true },
            { head: 'Yesterday', isNumber: true },
            { head: 'EP refused', isNumber: true },
          ],
          rows: refusalsByCode.map((row) => ({
            key: row.code,
            cells: [
              html`<a href=${refusalsLink({ ...days.today, code: row.code })}>${code(row.code)}</a>`,
              grouped(row.refusals),
              meter({ part: row.refusals / most, level: 'past' }),
              row.yesterday === 0
                ? html`<span class="soft">0</span>`
                : html`<a href=${refusalsLink({ ...days.yesterday, code: row.code })}>${grouped(row.yesterday)}</a>`,
              row.points === 0 ? html`<span class="soft">0</span>` : grouped(row.points),
            ],
          })),
          foot: ['All codes', grouped(total), '', grouped(before), ''],
        }),
  )
}

/** What the figures of today and of yesterday until the same time count, for links to the refusals themselves. */
export function periodsOf({ day, now }: Pick<Overview, 'day' | 'now'>) {
  const dayAgo = new Date(Date.parse(now) - dayMs).toISOString()
  return {
    today: { since: day, until: day },
    yesterday: { since: dayText(vietnamDay(Date.parse(dayAgo))), until: dayAgo },
  }
}
