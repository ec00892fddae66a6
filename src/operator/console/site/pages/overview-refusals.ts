import type { Overview } from '../api-answers.ts'
import { empty } from '../components/empty.ts'
import { code } from '../components/mark.ts'
import { meter } from '../components/meter.ts'
import { panel } from '../components/panel.ts'
import { table } from '../components/table.ts'
import { html } from '../html.ts'
import { grouped } from '../words/numbers.ts'

/** What partners were refused today, and how often. */
export function refusalCodesPanel({ refusalsByCode, today }: Overview) {
  const most = Math.max(1, ...refusalsByCode.map(({ refusals }) => refusals))
  const total = refusalsByCode.reduce((sum, { refusals }) => sum + refusals, 0)
  const requests = today.awards + today.refused
  return panel(
    {
      title: 'Refusals by code',
      columns: 6,
      side: 'today',
      ...(requests === 0
        ? {}
        : { footer: `${((today.refused / requests) * 100).toFixed(1)}% of all requests for an award.` }),
    },
    refusalsByCode.length === 0
      ? empty({
          title: 'Nothing was refused today',
          text: 'Refusals of single orders can be looked up under Find.',
        })
      : table({
          caption: 'Refusals by code today',
          narrow: 'scrolls',
          columns: [
            { head: 'Code', isPlain: true },
            { head: 'Refused', isNumber: true },
            { head: 'Share', isHeadHidden: true, isWide: true, isMinor: true },
            { head: 'EP refused', isNumber: true },
          ],
          rows: refusalsByCode.map((row) => ({
            key: row.code,
            cells: [
              code(row.code),
              grouped(row.refusals),
              meter({ part: row.refusals / most, level: 'past' }),
              row.points === 0 ? html`<span class="soft">0</span>` : grouped(row.points),
            ],
          })),
          foot: ['All codes', grouped(total), '', ''],
        }),
  )
}
