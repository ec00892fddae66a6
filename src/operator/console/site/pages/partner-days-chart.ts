import { chart } from '../components/chart.ts'
import { html } from '../html.ts'
import type { BackTested, Effect } from '../words/back-test.ts'
import { grouped } from '../words/numbers.ts'
import { longDayOf, shortDayOf } from '../words/times.ts'

type Shown = {
  cap: 'perPartnerDay' | 'perTx'
  /** The cap in force. */
  now: number
  /** The value that is typed; null: none yet. */
  tried: number | null
}

/** The days of a back-test: what was credited and refused, against the cap if it is one of a day. */
export function daysChart({ days, total }: BackTested, { cap, now, tried }: Shown) {
  const last = days.length - 1
  const isDaily = cap === 'perPartnerDay'
  const nameOf = (index: number) => `${shortDayOf(days[index]!.day)}${index === last ? ', so far' : ''}`
  const tested = (effect: Effect) =>
    tried === null ? [] : [effect.nowRefused, effect.nowAdmitted, effect.stillRefused]
  const cellsOf = (effect: Effect) =>
    [effect.credited, effect.refused, ...tested(effect)].map(({ points }) => grouped(points))
  return html`<div class="inset">${chart({
    label: `EP credited and refused per day in the last 30 days${isDaily ? `, against the cap of ${grouped(now)} EP` : ''}.`,
    bars: days.map(({ credited, refused }) => ({ credited: credited.points, refused: refused.points })),
    // A cap for one award is no limit of a day.
    rules: isDaily
      ? [
          { name: `Cap now, ${grouped(now)}`, look: 'now' as const, value: now },
          ...(tried === null || tried === now
            ? []
            : [{ name: `New cap, ${grouped(tried)}`, look: 'proposed' as const, value: tried }]),
        ]
      : [],
    axis: [0, 0.25, 0.5, 0.75, 1].map((at) => ({
      at: (Math.round(at * last) + 0.5) / days.length,
      text: shortDayOf(days[Math.round(at * last)]!.day),
    })),
    read: (index) => {
      const { day, credited, refused } = days[index]!
      return `${longDayOf(day)}: ${grouped(credited.points)} EP credited, ${grouped(refused.points)} EP refused`
    },
    height: 'high',
    table: {
      caption: 'The last 30 days, in EP',
      columns: [
        { head: 'Day', keepsLine: true },
        { head: 'Credited', isNumber: true },
        { head: 'Refused', isNumber: true },
        ...(tried === null
          ? []
          : ['Now refused', 'Now admitted, at least', 'Still refused'].map((head) => ({
              head,
              isNumber: true,
            }))),
      ],
      rows: days.map((day, index) => ({ key: day.day, cells: [nameOf(index), ...cellsOf(day)] })),
      foot: ['Total', ...cellsOf(total)],
    },
  })}</div>`
}
