import { systemClock } from '../../../../clock.ts'
import { html } from '../html.ts'
import { periodTimes, shortTime, utcClock, utcTime } from '../words/times.ts'

/** A time in Vietnam, with UTC on hover; `withUtc` also prints it. Null is an en dash. */
export function time(iso: string | null | undefined, { withUtc = false }: { withUtc?: boolean } = {}) {
  if (iso === null || iso === undefined) return html`<span class="soft">–</span>`
  const ms = Date.parse(iso)
  const shown = timeElement(ms, shortTime(ms, systemClock.now()))
  return withUtc ? html`${shown} <span class="soft">${utcClock(ms)}</span>` : shown
}

/** `From … until …`, in Vietnam time; null: up to now. */
export function period(from: string, until: string | null) {
  if (until === null) return html`From ${time(from)} until now`
  const [start, end] = [Date.parse(from), Date.parse(until)]
  const [shownStart, shownEnd] = periodTimes(start, end, systemClock.now())
  return html`From ${timeElement(start, shownStart)} until ${timeElement(end, shownEnd)}`
}

function timeElement(ms: number, text: string) {
  return html`<time datetime=${new Date(ms).toISOString()} title=${utcTime(ms)}>${text}</time>`
}
