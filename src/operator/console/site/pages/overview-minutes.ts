import type { Series } from '../api-answers.ts'
import { chart } from '../components/chart.ts'
import { panel } from '../components/panel.ts'
import { whenLoaded } from '../components/states.ts'
import { html } from '../html.ts'
import { useGet } from '../load.ts'
import { grouped } from '../words/numbers.ts'
import { dayParts, type DayParts } from '../words/day-parts.ts'

const refreshMs = 30_000
/** With less than one award a minute, minutes would be a line at zero with spikes: such a day is drawn by hours. */
const quietAwards = 1_440

type Figure = 'awards' | 'points'
const names: Record<Figure, string> = { awards: 'Awards', points: 'EP' }

/** Awards and EP per minute, today against yesterday. */
export function MinuteCharts({ day, now, isPaused }: { day: string; now: string; isPaused: boolean }) {
  const options = { everyMs: isPaused ? null : refreshMs }
  const today = useGet<Series>(`/series?span=minute&day=${day}`, options)
  const yesterday = useGet<Series>(`/series?span=minute&day=${dayBefore(day)}`)
  const isQuiet = Math.max(awardsOf(today.data), awardsOf(yesterday.data)) < quietAwards
  return html`${(['awards', 'points'] as const).map((figure) => {
    const before = yesterday.data === null ? null : dayParts(yesterday.data, figure, Number.POSITIVE_INFINITY)
    return panel(
      { title: `${names[figure]} per ${isQuiet ? 'hour' : 'minute'}`, columns: 6 },
      whenLoaded(today, { what: `The chart of ${names[figure]}`, lines: 8 }, (series) =>
        dayChart(figure, { today: dayParts(series, figure, Date.parse(now)), yesterday: before, isQuiet }),
      ),
    )
  })}`
}

function awardsOf(series: Series | null): number {
  return (series?.points ?? []).reduce((sum, { awards }) => sum + awards, 0)
}

function dayBefore(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10)
}

type Days = { today: DayParts; yesterday: DayParts | null; isQuiet: boolean }

function dayChart(figure: Figure, { today, yesterday, isQuiet }: Days) {
  const name = names[figure]
  const unit = isQuiet ? 'hour' : 'minute'
  const valuesOf = (parts: DayParts) => (isQuiet ? parts.hours : parts.perMinute)
  const known = (value: number | null | undefined) =>
    grouped(typeof value === 'number' ? Math.round(value) : null)
  const startOf = (index: number) => (isQuiet ? hourText(index) : today.starts[index])
  return chart({
    label: `${name} per ${unit}. Today ${grouped(today.total)} so far, yesterday ${known(yesterday?.total)}.`,
    lines: [
      ...(yesterday === null
        ? []
        : [{ name: 'Yesterday', look: 'past' as const, values: valuesOf(yesterday) }]),
      { name: 'Today', look: 'now', values: valuesOf(today) },
    ],
    axis: [0, 6, 12, 18, 24].map((hour) => ({ at: hour / 24, text: hourText(hour) })),
    read(index) {
      const before = yesterday === null ? null : valuesOf(yesterday)[index]
      return `${startOf(index)}: today ${known(valuesOf(today)[index])}, yesterday ${known(before)} per ${unit}`
    },
    table: {
      caption: `${name} per hour, today and yesterday`,
      columns: [
        { head: 'Hour' },
        { head: `${name} today`, isNumber: true },
        { head: `${name} yesterday`, isNumber: true },
      ],
      rows: today.hours.map((value, hour) => ({
        key: String(hour),
        cells: [hourText(hour), grouped(value), grouped(yesterday?.hours[hour])],
      })),
      foot: ['Total', grouped(today.total), grouped(yesterday?.total)],
    },
  })
}

function hourText(hour: number): string {
  return `${String(hour).padStart(2, '0')}:00`
}
