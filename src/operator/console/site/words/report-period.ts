import { dayMs, dayText, parseDay, vietnamDay } from '../../../../rules/vietnam-day.ts'
import { longDay, monthName, shortDay } from './times.ts'

/** Vietnam days, both included. */
export type Period = {
  kind: 'day' | 'month'
  from: number
  to: number
  /** Its days that are over. Null: none is yet. */
  closedUntil: number | null
  title: string
  /** For the tab. */
  short: string
}

/** The period that the filters of the report name; yesterday if they name none, because a closed day does not change. */
export function periodOf(query: URLSearchParams, now: number): Period {
  const today = vietnamDay(now)
  const kind = query.get('period') === 'month' ? 'month' : 'day'
  const named = parseDay(query.get('day') ?? '')
  const day = named === null || named > today ? today - 1 : named
  if (kind === 'day')
    return {
      kind,
      from: day,
      to: day,
      closedUntil: day < today ? day : null,
      title: longDay(day),
      short: shortDay(day),
    }
  const from = firstOfMonth(day)
  const last = firstOfMonth(from + 31) - 1
  const to = Math.min(last, today)
  return {
    kind,
    from,
    to,
    closedUntil: Math.min(last, today - 1) >= from ? Math.min(last, today - 1) : null,
    title: `${monthName(day)}${to < last || to === today ? ', so far' : ''}`,
    short: monthName(day),
  }
}

function firstOfMonth(day: number): number {
  return day - new Date(day * dayMs).getUTCDate() + 1
}

/** The day of the period before or after; null if it has not begun. */
export function neighborOf({ kind, from, to }: Period, step: -1 | 1, now: number): string | null {
  const day = step === -1 ? from - 1 : kind === 'month' ? firstOfMonth(from + 31) : to + 1
  return day > vietnamDay(now) ? null : dayText(day)
}
