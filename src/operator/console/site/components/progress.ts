import { type Content, html } from '../html.ts'
import { meter } from './meter.ts'

/** How far something is, from 0 to 1, with its numbers above the bar. */
export function progress({ done, label, text }: { done: number; label: string; text: Content }) {
  return html`<div class="use">
    <span class="l"><span>${text}</span><b>${Math.floor(done * 100)}%</b></span>
    <div role="progressbar" aria-label=${label} aria-valuenow=${Math.floor(done * 100)} aria-valuemin="0" aria-valuemax="100">
      ${meter({ part: done })}
    </div>
  </div>`
}
