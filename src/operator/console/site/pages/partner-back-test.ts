import { useEffect, useState } from 'preact/hooks'
import type { Series, TriedCap } from '../api-answers.ts'
import { chart } from '../components/chart.ts'
import { figures } from '../components/figures.ts'
import { note } from '../components/note.ts'
import { whenLoaded } from '../components/states.ts'
import { time } from '../components/time.ts'
import { html } from '../html.ts'
import { useGet, useLoaded } from '../load.ts'
import { counted, grouped } from '../words/numbers.ts'
import { longDayOf, shortDayOf } from '../words/times.ts'
import { lastDays, type PastDay } from '../words/last-days.ts'

const pauseMs = 300

type BackTestProps = {
  partnerId: string
  /** '': in all tenants. */
  tenantId: string
  /** The cap in force. */
  now: number
  /** The value that is typed; null: it is no number. */
  tried: number | null
}

/** What another perPartnerDay would have changed in the last 30 days. It is asked again when typing pauses. */
export function BackTest({ partnerId, tenantId, now, tried }: BackTestProps) {
  const value = usePaused(tried)
  const inTenant = tenantId === '' ? {} : { tenantId }
  const path = `/partners/${encodeURIComponent(partnerId)}/caps/try`
  const test = useLoaded<TriedCap>(value === null ? null : `${path} ${tenantId} ${value}`, (api, signal) =>
    api.send('POST', path, { perPartnerDay: value, ...inTenant }, signal),
  )
  const of = new URLSearchParams({ partnerId, ...inTenant })
  const series = useGet<Series>(`/series?span=day&from=30d&${of}`)
  return html`<div>
      <h3>What the last 30 days would have looked like</h3>
      <p class="small soft">
        Credited EP are the ledger's, refused EP are the journal's. An order that was retried counts once.
      </p>
    </div>
    ${
      value === null
        ? html`<p class="soft">Type a value to see what it would have refused and admitted.</p>`
        : html`${
            test.problem !== null &&
            note(
              { kind: 'warning', title: 'The effect is unknown.' },
              'The back-test failed. Saving is still possible.',
            )
          }
          ${whenLoaded(test, { what: 'The back-test', lines: 5 }, (answer) => effect(answer, { now, value }))}`
    }
    ${whenLoaded(series, { what: 'The last 30 days', lines: 8 }, (answer) =>
      daysChart(lastDays(answer), test.data, { now, value: value ?? now }),
    )}`
}

/** The last value that stood for a moment. */
function usePaused(value: number | null): number | null {
  const [paused, setPaused] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), pauseMs)
    return () => clearTimeout(timer)
  }, [value])
  return paused
}

function effect(answer: TriedCap, { now, value }: { now: number; value: number }) {
  const { refused, admittedAtLeast, stillRefused, refusalsSince, isCut } = answer
  const days = answer.tenants.flatMap((tenant) => tenant.days)
  const on = (field: 'refusedAwards' | 'admittedOrders') =>
    `on ${counted(new Set(days.filter((day) => day[field] > 0).map(({ day }) => day)).size, 'day')}`
  return html`
    ${figures([
      {
        name: 'Credited, now refused',
        value: grouped(refused.points),
        unit: 'EP',
        note:
          refused.awards > 0
            ? `${counted(refused.awards, 'award')} ${on('refusedAwards')}`
            : value >= now
              ? 'The new cap is not lower.'
              : 'No day used more.',
      },
      {
        name: 'Refused, now admitted',
        value: `${admittedAtLeast.points > 0 ? '≥ ' : ''}${grouped(admittedAtLeast.points)}`,
        unit: 'EP',
        note:
          admittedAtLeast.orders > 0
            ? `${counted(admittedAtLeast.orders, 'order')} ${on('admittedOrders')}`
            : 'No refused order would fit.',
      },
      {
        name: 'Still refused',
        value: grouped(stillRefused.points),
        unit: 'EP',
        note: stillRefused.orders > 0 ? counted(stillRefused.orders, 'order') : 'No order.',
      },
    ])}
    <p class="hint" role="status">
      ${
        refusalsSince === null
          ? 'No refusal is on record, so nothing is known of what was refused.'
          : html`Refusals are on record since ${time(refusalsSince)}.${isCut && ' There are more than were looked at.'}`
      }
    </p>
  `
}

function daysChart(days: PastDay[], tested: TriedCap | null, { now, value }: { now: number; value: number }) {
  const changed = new Map<string, { refused: number; admitted: number }>()
  for (const day of (tested?.tenants ?? []).flatMap((tenant) => tenant.days)) {
    const before = changed.get(day.day) ?? { refused: 0, admitted: 0 }
    changed.set(day.day, {
      refused: before.refused + day.refusedPoints,
      admitted: before.admitted + day.admittedPoints,
    })
  }
  const last = days.length - 1
  return html`<div class="inset">${chart({
    label: `EP credited and refused per day in the last 30 days, against the cap of ${grouped(now)} EP.`,
    bars: days,
    rules: [
      { name: `Cap now, ${grouped(now)}`, look: 'now', value: now },
      ...(value === now ? [] : [{ name: `New cap, ${grouped(value)}`, look: 'proposed' as const, value }]),
    ],
    axis: [0, 0.25, 0.5, 0.75, 1].map((at) => ({
      at: (Math.round(at * last) + 0.5) / days.length,
      text: shortDayOf(days[Math.round(at * last)]!.day),
    })),
    read: (index) => {
      const { day, credited, refused } = days[index]!
      return `${longDayOf(day)}: ${grouped(credited)} EP credited, ${grouped(refused)} EP refused`
    },
    height: 'high',
    table: {
      caption: 'The last 30 days, in EP',
      columns: [
        { head: 'Day', keepsLine: true },
        { head: 'Credited', isNumber: true },
        { head: 'Refused', isNumber: true },
        { head: `Refused at ${grouped(value)}`, isNumber: true },
        { head: `Admitted at ${grouped(value)}`, isNumber: true },
      ],
      rows: days.map(({ day, credited, refused }) => ({
        key: day,
        cells: [
          shortDayOf(day),
          grouped(credited),
          grouped(refused),
          grouped(changed.get(day)?.refused ?? 0),
          grouped(changed.get(day)?.admitted ?? 0),
        ],
      })),
    },
  })}</div>`
}
