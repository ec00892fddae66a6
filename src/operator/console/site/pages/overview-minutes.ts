import type { Series } from '../api-answers.ts'
import { chart } from '../components/chart.ts'
import { panel } from '../components/panel.ts'
import { whenLoaded } from '../components/states.ts'
import { html } from '../html.ts'
import { useGet } from '../load.ts'
import { grouped } from '../words/numbers.ts'
import { dayParts, type DayParts } from '../words/day-parts.ts'

const refreshMs = 30_000

type Figure = 'awards' | 'points'
const names: Record<Figure, string> = { awards: 'Awards', points: 'EP' }

/** Awards and EP per minute, today against yesterday. */
export function MinuteCharts({ day, now, isPaused }: { day: string; now: string; isPaused: boolean }) {
  const options = { everyMs: isPaused ? null : refreshMs }
  const today = useGet<Series>(`/series?span=minute&day=${day}`, options)
  const yesterday = useGet<Series>(`/series?span=minute&day=${dayBefore(day)}`)
  return html`${(['awards', 'points'] as const).map((figure) => {
    const before = yesterday.data === null ? null : dayParts(yesterday.data, figure, Number.POSITIVE_INFINITY)
    return panel(
      { title: `${names[figure]} per minute`, columns: 6 },
      whenLoaded(today, { what: `The ${names[figure]} per minute`, lines: 8 }, (series) =>
        minuteChart(figure, dayParts(series, figure, Date.parse(now)), before),
      ),
    )
  })}`
}

function dayBefore(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10)
}

function minuteChart(figure: Figure, today: DayParts, yesterday: DayParts | null) {
  const name = names[figure]
  const known = (value: number | null | undefined) =>
    grouped(value === null || value === undefined ? null : Math.round(value))
  return chart({
    label: `${name} per minute. Today ${grouped(today.total)} so far, yesterday ${known(yesterday?.total)}.`,
    lines: [
      ...(yesterday === null
        ? []
        : [{ name: 'Yesterday', look: 'past' as const, values: yesterday.perMinute }]),
      { name: 'Today', look: 'now', values: today.perMinute },
    ],
    axis: [0, 6, 12, 18, 24].map((hour) => ({ at: hour / 24, text: `${String(hour).padStart(2, '0')}:00` })),
    read: (index) =>
      `${today.starts[index]}: today ${known(today.perMinute[index])}, yesterday ${known(yesterday?.perMinute[index])} per minute`,
    table: {
      caption: `${name} per hour, today and yesterday`,
      columns: [
        { head: 'Hour' },
        { head: `${name} today`, isNumber: true },
        { head: `${name} yesterday`, isNumber: true },
      ],
      rows: today.hours.map((value, hour) => ({
        key: String(hour),
        cells: [`${String(hour).padStart(2, '0')}:00`, grouped(value), grouped(yesterday?.hours[hour])],
      })),
      foot: ['Total', grouped(today.total), grouped(yesterday?.total)],
    },
  })
}
