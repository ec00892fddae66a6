import type { Overview } from '../api-answers.ts'
import { chart } from '../components/chart.ts'
import { empty } from '../components/empty.ts'
import { panel } from '../components/panel.ts'
import { time } from '../components/time.ts'
import { html } from '../html.ts'
import { type LatencyPlace, latencyPlaces } from '../words/latency-hour.ts'
import { grouped } from '../words/numbers.ts'

/** Where the measure ends. */
const longestMs = 10_000

/** Null: longer than is measured. */
export function milliseconds(ms: number | null): string {
  if (ms === null) return `over ${grouped(longestMs)}`
  return ms < 10 ? ms.toFixed(1) : grouped(Math.round(ms))
}

/** p50 and p99 of each minute. They are kept in the memory of the process, so they begin when it was started. */
export function latencyPanel({ latencyHour, latency, now }: Overview) {
  const latest =
    latency === null ? '' : `p50 ${milliseconds(latency.p50Ms)} ms, p99 ${milliseconds(latency.p99Ms)} ms now`
  return panel(
    {
      title: 'Response time of awards, last hour',
      columns: 12,
      id: 'response-time',
      side: latest,
      ...(latencyHour === null
        ? {}
        : {
            footer: html`Of the process that serves this console, measured since ${time(latencyHour.since)}. A minute's value is
              the bound that half (p50) or 99 of 100 (p99) of its requests did not exceed.`,
          }),
    },
    latencyHour === null || latencyHour.minutes.length === 0
      ? empty({
          title: 'No minute with awards was measured yet',
          text: html`A minute is measured when it is over: look again in a minute. Figures of all processes, and of longer ago, are
            in${' '}<code>/metrics</code>.`,
        })
      : hourChart(latencyPlaces(latencyHour.minutes, Date.parse(now)), latest),
  )
}

function hourChart(places: LatencyPlace[], latest: string) {
  const values = (name: 'p50Ms' | 'p99Ms') =>
    places.map(({ minute }) => (minute === null ? null : (minute[name] ?? longestMs)))
  const read = ({ start, minute }: LatencyPlace) =>
    minute === null
      ? `${start}: no awards`
      : `${start}: p50 ${milliseconds(minute.p50Ms)} ms, p99 ${milliseconds(minute.p99Ms)} ms, ${grouped(minute.requests)} requests`
  return chart({
    label: `Response time of awards per minute in the last hour, in milliseconds. ${latest}.`,
    lines: [
      { name: 'p50, ms', look: 'now', values: values('p50Ms') },
      { name: 'p99, ms', look: 'second', values: values('p99Ms') },
    ],
    axis: [0, 15, 30, 45, 59].map((place) => ({ at: (place + 0.5) / 60, text: places[place]!.start })),
    read: (index) => read(places[index]!),
    table: {
      caption: 'Response time of awards in the last hour',
      columns: [
        { head: 'Minute' },
        { head: 'Requests', isNumber: true },
        { head: 'p50, ms', isNumber: true },
        { head: 'p99, ms', isNumber: true },
      ],
      rows: places.flatMap(({ start, minute }) =>
        minute === null
          ? []
          : [
              {
                key: minute.at,
                cells: [
                  start,
                  grouped(minute.requests),
                  milliseconds(minute.p50Ms),
                  milliseconds(minute.p99Ms),
                ],
              },
            ],
      ),
    },
  })
}
