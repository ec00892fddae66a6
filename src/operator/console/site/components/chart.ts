import { h } from 'preact'
import { useState } from 'preact/hooks'
import { type Content, html } from '../html.ts'
import { abbreviated } from '../words/numbers.ts'
import { ticksUpTo } from './chart-scale.ts'
import { table } from './table.ts'

/** A line over the places from left to right. Null is a gap: nothing is known there. */
type Line = { name: string; look: 'now' | 'past' | 'second'; values: (number | null)[] }
/** Bars from the bottom: what was credited, and on top of it what was refused. */
type Bar = { credited: number; refused: number }
/** A limit across the chart. */
type Rule = { name: string; look: 'now' | 'proposed'; value: number }

type ChartProps = {
  /** What it shows and its current values, for screen readers. */
  label: string
  lines?: Line[]
  bars?: Bar[]
  rules?: Rule[]
  /** Names of places, `at` from 0 to 1. */
  axis: { at: number; text: string }[]
  /** One line about one of the places, by its index. */
  read(index: number): Content
  height?: 'low' | 'high'
  table: Parameters<typeof table>[0]
}

/** A chart with its legend, a line that reads out one place, and the same data as a table. */
export function chart(props: ChartProps) {
  return h(Chart, props)
}

const width = 1_000

function Chart({ label, lines = [], bars = [], rules = [], axis, read, height, table: data }: ChartProps) {
  const [place, setPlace] = useState<number | null>(null)
  const count = Math.max(bars.length, ...lines.map(({ values }) => values.length), 1)
  const largest = Math.max(
    ...lines.flatMap(({ values }) => values.map((value) => value ?? 0)),
    ...bars.map(({ credited, refused }) => credited + refused),
    ...rules.map(({ value }) => value),
    0,
  )
  const ticks = ticksUpTo(largest)
  const top = ticks.at(-1)!
  const down = (value: number) => 100 - (value / top) * 100
  const across = (index: number) => ((index + 0.5) / count) * width

  function onPointer(event: PointerEvent): void {
    const { left, width: wide } = (event.currentTarget as Element).getBoundingClientRect()
    const index = Math.floor(((event.clientX - left) / wide) * count)
    setPlace(Math.min(count - 1, Math.max(0, index)))
  }
  function onKey(event: KeyboardEvent): void {
    const last = count - 1
    const from = place ?? last
    const to = { ArrowLeft: from - 1, ArrowRight: from + 1, Home: 0, End: last }[event.key]
    if (to === undefined) return
    event.preventDefault()
    setPlace(Math.min(last, Math.max(0, to)))
  }
  return html`<div class="body">
      <div class="key">
        ${lines.map(({ name, look }) => html`<span key=${name}><i class=${lineKeys[look]}></i>${name}</span>`)}
        ${
          bars.length > 0 &&
          html`<span><i class="box"></i>Credited</span><span><i class="box bad"></i>Refused</span>`
        }
        ${rules.map(
          ({ name, look }) =>
            html`<span key=${name}><i class=${look === 'now' ? 'dash' : 'info'}></i>${name}</span>`,
        )}
      </div>
      <p class="readout" role="status">${place === null ? '' : read(place)}</p>
      <div class="chart">
        <div class="y" aria-hidden="true">${ticks.toReversed().map((tick) => html`<span>${abbreviated(tick)}</span>`)}</div>
        <div
          class=${`plot${height === undefined ? '' : ` ${height}`}`}
          tabindex="0"
          role="img"
          aria-label=${`${label} Arrow keys read out single places.`}
          onPointerMove=${onPointer}
          onPointerLeave=${() => setPlace(null)}
          onBlur=${() => setPlace(null)}
          onKeyDown=${onKey}
        >
          <svg viewBox=${`0 0 ${width} 100`} preserveAspectRatio="none" aria-hidden="true">
            ${ticks.map(
              (tick) => html`<line class="g" x1="0" x2=${width} y1=${down(tick)} y2=${down(tick)} />`,
            )}
            ${bars.map((bar, index) => barShapes(bar, { left: (index / count) * width, wide: width / count, down }))}
            ${lines.map(({ look, values }) => html`<path class=${lineLooks[look]} d=${pathOf(values, across, down)} />`)}
            ${
              place !== null &&
              html`<line class="at" x1=${across(place)} x2=${across(place)} y1="0" y2="100" />`
            }
          </svg>
          ${rules.map(
            ({ value, look }) =>
              html`<div class=${`rule${look === 'proposed' ? ' n' : ''}`} style=${{ bottom: `${100 - down(value)}%` }}></div>`,
          )}
        </div>
        <div class="x" aria-hidden="true">
          ${axis.map(
            ({ at, text }) =>
              html`<span
                style=${{ left: `${at * 100}%`, transform: `translateX(${at < 0.02 ? 0 : at > 0.98 ? -100 : -50}%)` }}
                >${text}</span
              >`,
          )}
        </div>
      </div>
    </div>
    <details class="data">
      <summary>Show as table</summary>
      ${table({ ...data, isBare: true, narrow: 'scrolls' })}
    </details>`
}

const lineKeys = { now: '', past: 'past', second: 'blue' }
const lineLooks = { now: 'l-now', past: 'l-past', second: 'l-blue' }

function pathOf(
  values: (number | null)[],
  across: (index: number) => number,
  down: (value: number) => number,
): string {
  let isDrawing = false
  const steps: string[] = []
  for (const [index, value] of values.entries()) {
    if (value !== null) {
      steps.push(`${isDrawing ? 'L' : 'M'}${across(index).toFixed(1)} ${down(value).toFixed(2)}`)
      // A place between two gaps is a dot: without a line it would not be seen.
      if (!isDrawing && (values[index + 1] ?? null) === null) steps.push('h0')
    }
    isDrawing = value !== null
  }
  return steps.join('')
}

function barShapes(
  { credited, refused }: Bar,
  { left, wide, down }: { left: number; wide: number; down(value: number): number },
) {
  const [x, barWidth] = [left + wide * 0.14, wide * 0.72]
  const between = down(credited)
  const top = down(credited + refused)
  return html`
    ${credited > 0 && html`<rect class="f-now" x=${x} width=${barWidth} y=${between} height=${100 - between} />`}
    ${refused > 0 && html`<rect class="f-bad" x=${x} width=${barWidth} y=${top} height=${between - top} />`}
  `
}
