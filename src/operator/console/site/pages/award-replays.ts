import type { ExplainedAward } from '../api-answers.ts'
import { body, panel } from '../components/panel.ts'
import { table } from '../components/table.ts'
import { time } from '../components/time.ts'
import { html } from '../html.ts'
import { grouped } from '../words/numbers.ts'
import { replaysMissing, replaysOfDay, replaysTitle } from '../words/order-replays.ts'
import { duration } from '../words/times.ts'

/** How often the order was sent again: a replay is answered with the first result, and credits nothing. */
export function replaysPanel({ replays, replaysOfDay: ofDay }: ExplainedAward) {
  const { byKey, since, problem } = replays
  const missing = problem ?? replaysMissing(replays)
  return panel(
    { title: 'Sent again', side: `${replaysTitle(replays)}`, columns: 6 },
    byKey.length > 0 &&
      table({
        caption: 'Replays of this order by key',
        columns: [
          { head: 'Key' },
          { head: 'Replays', isNumber: true },
          { head: 'First, after the award' },
          { head: 'Last, after the award' },
        ],
        rows: byKey.map(({ keyId, replays: count, firstAt, firstAfterMs, lastAt, lastAfterMs }) => ({
          key: keyId,
          cells: [
            html`<code>${keyId}</code>`,
            grouped(count),
            html`${duration(firstAfterMs)} <span class="soft">(${time(firstAt)})</span>`,
            html`${duration(lastAfterMs)} <span class="soft">(${time(lastAt)})</span>`,
          ],
        })),
      }),
    body(
      html`<p>A replay gets the first result again and credits nothing.</p>`,
      missing !== null && html`<p><bdi>${missing}</bdi></p>`,
      html`<p class="small soft">
        ${since !== null && html`Replays are on record since ${time(since)}. `}${replaysOfDay(ofDay)}
      </p>`,
    ),
  )
}
