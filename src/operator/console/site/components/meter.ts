import { type Content, html } from '../html.ts'
import { grouped, usePercent } from '../words/numbers.ts'

type Level = 'good' | 'attention' | 'bad' | 'past' | 'second'
const classes: Record<Level, string> = {
  good: '',
  attention: 'mid',
  bad: 'bad',
  past: 'past',
  second: 'blue',
}

/** From here on a cap is near. */
const nearFrom = 0.8

export function levelOf(used: number, limit: number): 'good' | 'attention' | 'bad' {
  const part = limit === 0 ? 1 : used / limit
  return part >= 0.95 ? 'bad' : part >= nearFrom ? 'attention' : 'good'
}

/** A bar beside its number, which is what screen readers read. */
export function meter({
  part,
  level = 'good',
  marks = false,
}: {
  part: number
  level?: Level
  marks?: boolean
}) {
  const percent = Math.min(100, Math.max(0, part * 100))
  return html`<span class=${`meter ${classes[level]}`} aria-hidden="true">
    <i style=${{ width: `${percent.toFixed(1)}%` }}></i>
    ${marks && html`<u></u>`}
  </span>`
}

/** How much of a cap is used: both numbers, the percentage, and a bar with a mark at 80%. */
export function use({ used, limit, note }: { used: number; limit: number; note?: Content }) {
  return html`<span class="use">
    <span class="l">
      <span>${grouped(used)} <span class="soft">of ${grouped(limit)}</span></span>
      <b>${usePercent(used, limit)}</b>
    </span>
    ${meter({ part: limit === 0 ? 1 : used / limit, level: levelOf(used, limit), marks: true })}
    ${note !== undefined && html`<span class="sub">${note}</span>`}
  </span>`
}
