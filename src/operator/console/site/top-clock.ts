import { h } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { nextVietnamMidnight } from '../../../rules/vietnam-day.ts'
import { useConsole } from './context.ts'
import { html } from './html.ts'
import { duration, utcTime, weekdayTime } from './words/times.ts'

/** The Vietnam time, and how long the day's counters still count. */
export function topClock() {
  return h(TopClock, {})
}

function TopClock() {
  const { api } = useConsole()
  const [now, setNow] = useState(api.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(api.now()), 1_000)
    return () => clearInterval(timer)
  }, [api])
  const left = Math.max(60_000, nextVietnamMidnight(now) - now)
  return html`<p class="clock">
    <b><time datetime=${new Date(now).toISOString()} title=${utcTime(now)}>${weekdayTime(now)}</time></b> Vietnam time (UTC+7)
    <span>day resets in ${duration(left)}</span>
  </p>`
}
