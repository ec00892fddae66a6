import { InvalidArgumentError } from 'commander'
import { systemClock } from '../clock.ts'
import { parseDay, vietnamDay, vietnamDayStart } from '../rules/vietnam-day.ts'
import { durationArgument } from './arguments.ts'

/** A Vietnam day: `2026-11-16`, `today` or `yesterday`. */
export function dayArgument(text: string): number {
  const day = dayOf(text)
  if (day === null)
    throw new InvalidArgumentError('It must be a day such as 2026-11-16 (YYYY-MM-DD), today or yesterday.')
  return day
}

function dayOf(text: string): number | null {
  const today = vietnamDay(systemClock.now())
  if (text === 'today') return today
  return text === 'yesterday' ? today - 1 : parseDay(text)
}

/** The end of a period, in milliseconds, in the same forms as its beginning. A day is included. */
export function untilArgument(text: string): number {
  const day = dayOf(text)
  return day === null ? sinceArgument(text) : vietnamDayStart(day + 1)
}

/** The beginning of a period, in milliseconds: a duration before now (`24h`), a Vietnam day or a time. */
export function sinceArgument(text: string): number {
  const day = dayOf(text)
  if (day !== null) return vietnamDayStart(day)
  if (isoTimePattern.test(text) && !Number.isNaN(Date.parse(text))) return Date.parse(text)
  try {
    return systemClock.now() - durationArgument(text)
  } catch {
    throw new InvalidArgumentError(
      'It must be a duration such as 90s, 30m, 24h or 7d, a day such as 2026-11-16 or yesterday, or a time such as 2026-11-16T08:30:00Z.',
    )
  }
}

/** With its offset: whoever leaves it out could mean UTC or Vietnam time. */
const isoTimePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/

/** How many rows to show. */
export function limitArgument(text: string): number {
  if (!/^[1-9][0-9]{0,3}$|^10000$/.test(text)) throw new InvalidArgumentError('It must be 1 to 10000.')
  return Number(text)
}
