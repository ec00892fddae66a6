import { systemClock } from '../../../../clock.ts'
import { html } from '../html.ts'
import { shortTime, utcClock, utcTime } from '../words/times.ts'

/** A time in Vietnam, with UTC on hover; `withUtc` also prints it. Null is an en dash. */
export function time(iso: string | null | undefined, { withUtc = false }: { withUtc?: boolean } = {}) {
  if (iso === null || iso === undefined) return html`<span class="soft">–</span>`
  const ms = Date.parse(iso)
  const shown = html`<time datetime=${iso} title=${utcTime(ms)}>${shortTime(ms, systemClock.now())}</time>`
  return withUtc ? html`${shown} <span class="soft">${utcClock(ms)}</span>` : shown
}
