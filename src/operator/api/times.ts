import { Type } from 'typebox'
import { parseDay, vietnamDay, vietnamDayStart } from '../../rules/vietnam-day.ts'
import { ApiProblem } from './problem.ts'

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
/** With its offset: whoever leaves it out could mean UTC or Vietnam time. */
const isoTimePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/

const timeForms =
  'A duration before now (`24h`), a Vietnam day (`2026-11-16`, `today`, `yesterday`) or a time (`2026-11-16T08:30:00Z`).'
export const sinceParameter = (what: string) =>
  Type.Optional(Type.String({ description: `${what} ${timeForms}` }))
export const untilParameter = (what: string) =>
  Type.Optional(Type.String({ description: `${what} A day is included. ${timeForms}` }))
export const dayParameter = (what: string) =>
  Type.Optional(
    Type.String({ description: `${what} A Vietnam day such as \`2026-11-16\`, \`today\` or \`yesterday\`.` }),
  )

/** Milliseconds since 1970. */
export function readTime(parameter: string, text: string, now: number): number {
  const day = dayOf(text, now)
  if (day !== null) return vietnamDayStart(day)
  if (isoTimePattern.test(text) && !Number.isNaN(Date.parse(text))) return Date.parse(text)
  const [, digits, unit] = /^([1-9][0-9]{0,5})([smhd])$/.exec(text) ?? []
  if (digits !== undefined) return now - Number(digits) * unitMs[unit as keyof typeof unitMs]
  throw broken(
    parameter,
    'must be a duration such as 24h, a day such as 2026-11-16 or yesterday, or a time with its offset',
  )
}

/** The end of a period: of a day, its end. */
export function readUntil(parameter: string, text: string, now: number): number {
  const day = dayOf(text, now)
  return day === null ? readTime(parameter, text, now) : vietnamDayStart(day + 1)
}

function dayOf(text: string, now: number): number | null {
  if (text === 'today') return vietnamDay(now)
  return text === 'yesterday' ? vietnamDay(now) - 1 : parseDay(text)
}

export function readDay(parameter: string, text: string | undefined, now: number): number {
  const day = dayOf(text ?? 'today', now)
  if (day === null) throw broken(parameter, 'must be a day such as 2026-11-16, today or yesterday')
  return day
}

export function broken(parameter: string, detail: string): ApiProblem {
  return new ApiProblem('INVALID_REQUEST', `${parameter}: ${detail}`, {
    members: { errors: [{ parameter, detail }] },
  })
}
