import { h } from 'preact'
import { useState } from 'preact/hooks'
import type { DayFigures, Overview } from '../api-answers.ts'
import { figures, rows } from '../components/figures.ts'
import { mark } from '../components/mark.ts'
import { pageHead } from '../components/page-head.ts'
import { body, grid, panel } from '../components/panel.ts'
import { whenLoaded } from '../components/states.ts'
import { time } from '../components/time.ts'
import { useMay, useTitle } from '../context.ts'
import { html } from '../html.ts'
import { type Loaded, useGet } from '../load.ts'
import { grouped } from '../words/numbers.ts'
import { refusalsLink } from '../words/refusals-query.ts'
import { longDayOf } from '../words/times.ts'
import { alertsPanel } from './overview-alerts.ts'
import { nearCapsPanel } from './overview-near-caps.ts'
import { MinuteCharts } from './overview-minutes.ts'
import { latencyPanel, milliseconds } from './overview-latency.ts'
import { periodsOf, refusalCodesPanel } from './overview-refusals.ts'
import { NearUsers } from './overview-near-users.ts'

const liveMs = 3_000

/** Is anything wrong now, and who is near a cap? */
export function OverviewPage() {
  useTitle('Overview')
  const mayVerify = useMay('verification.start')
  const [isPaused, setPaused] = useState(false)
  const loaded = useGet<Overview>('/overview', { everyMs: isPaused ? null : liveMs })
  return html`
    ${pageHead({
      title: 'Overview',
      facts: loaded.data === null ? ' ' : factsOf(loaded, isPaused),
      actions: html`${liveMark(loaded, isPaused)}
        <button type="button" onClick=${() => setPaused(!isPaused)}>${isPaused ? 'Go on' : 'Pause'}</button>`,
    })}
    ${whenLoaded(
      loaded,
      { what: 'The overview', lines: 16, unaffected: 'Awards are not affected: the console only reads.' },
      (overview) => html`
        ${keyFigures(overview)}
        ${grid(
          nearCapsPanel(overview),
          alertsPanel(overview),
          h(NearUsers, { isPaused }),
          h(MinuteCharts, { day: overview.day, now: overview.now, isPaused }),
          latencyPanel(overview),
          refusalCodesPanel(overview),
          ledgerPanel(overview, mayVerify),
        )}
      `,
    )}
  `
}

function factsOf({ data, at }: Loaded<Overview>, isPaused: boolean) {
  const updated = isPaused ? 'Paused' : `Updated every ${liveMs / 1_000} s`
  return html`${longDayOf(data!.day)}. Figures up to ${time(new Date(at!).toISOString())}. ${updated}.`
}

function liveMark({ problem }: Loaded<Overview>, isPaused: boolean) {
  if (isPaused) return mark('inactive', 'Paused')
  return problem === null ? mark('good', 'Live') : mark('bad', 'Not updated')
}

function keyFigures(overview: Overview) {
  const { today, yesterday, latency } = overview
  const refusals = periodsOf(overview)
  const requests = today.awards + today.refused
  return figures([
    {
      name: 'Awards today',
      value: grouped(today.awards),
      note: compared(today, yesterday.untilNow, 'awards'),
    },
    {
      name: 'EP credited today',
      value: grouped(today.points),
      note: compared(today, yesterday.untilNow, 'points'),
    },
    {
      name: 'Refused',
      value: html`<a href=${refusalsLink(refusals.today)}>${grouped(today.refused)}</a>`,
      ...(requests === 0 ? {} : { unit: `${((today.refused / requests) * 100).toFixed(1)}%` }),
      note: html`Yesterday at this time:${' '}
        <a href=${refusalsLink(refusals.yesterday)}>${grouped(yesterday.untilNow.refused)}</a>`,
    },
    {
      name: 'Replays',
      value: grouped(today.replays),
      note: 'Repeats of known orders. Never credited twice.',
    },
    {
      name: 'Response time',
      value: latency === null ? '–' : milliseconds(latency.p50Ms),
      unit: latency === null ? '' : `/ ${milliseconds(latency.p99Ms)} ms`,
      note:
        latency === null
          ? 'No award was requested yet.'
          : html`p50 / p99 of awards since ${time(latency.since)}`,
    },
  ])
}

function compared(today: DayFigures, yesterday: DayFigures, figure: 'awards' | 'points'): string {
  if (yesterday[figure] === 0) return 'Yesterday at this time: 0'
  const change = (today[figure] / yesterday[figure] - 1) * 100
  return `${change < 0 ? '−' : '+'}${Math.abs(change).toFixed(1)}% on yesterday, same time`
}

function lastVerification({ verifiedAt, notSoundAt }: Overview['ledger'], mayVerify: boolean) {
  if (notSoundAt !== null)
    return html`${mark('bad', 'Not sound')} at ${time(notSoundAt)} <a href="/ledger">What is wrong</a>`
  return verifiedAt === null
    ? html`${mark('attention', 'Not verified yet')} ${mayVerify && html`<a href="/ledger">Start a verification</a>`}`
    : html`${mark('good', 'Sound')} at ${time(verifiedAt)}`
}

function ledgerPanel({ ledger }: Overview, mayVerify: boolean) {
  const { clockDifferenceMs, warnings, partners, tenants } = ledger
  return panel(
    { title: 'Ledger', columns: 5, side: html`<a href="/ledger">Open ledger</a>` },
    body(
      rows([
        ['Last verification', lastVerification(ledger, mayVerify)],
        ...(clockDifferenceMs === null
          ? []
          : [['Clock', `${grouped(Math.abs(clockDifferenceMs))} ms from the database`] as [string, string]]),
        [
          'Guarantees',
          warnings.length === 0
            ? mark('good', 'All in force')
            : html`${mark('attention', 'Not all in force')}<ul class="plainlist">
                  ${warnings.map((warning) => html`<li>${warning}</li>`)}
                </ul>`,
        ],
        ['Size', html`<a href="/partners">${grouped(partners)} partners</a>, ${grouped(tenants)} tenants`],
      ]),
    ),
  )
}
