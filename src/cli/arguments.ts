import { InvalidArgumentError } from 'commander'
import { capMax } from '../rules/caps.ts'

/** `default` stays a string while options are parsed: commander takes null for an option without a value. */
export type NumberOrDefault = number | 'default'

/** Converts to what the use cases take: `default` becomes null, and an option that was not given stays undefined. */
export function nullIfDefault<T extends number | undefined>(value: T | 'default'): T | null {
  return value === 'default' ? null : value
}

/** A cap: whole EP, or `default` to fall back to the wider one. */
export function capArgument(text: string): NumberOrDefault {
  if (text === 'default') return text
  const cap = wholeEp(text)
  if (cap === null)
    throw new InvalidArgumentError(`It must be whole EP, such as 5000, at most ${capMax}, or default.`)
  return cap
}

/** A cap that has no wider one to fall back to. */
export function wholeEpArgument(text: string): number {
  const cap = wholeEp(text)
  if (cap === null) throw new InvalidArgumentError(`It must be whole EP, such as 5000, at most ${capMax}.`)
  return cap
}

function wholeEp(text: string): number | null {
  const cap = /^[0-9]{1,16}$/.test(text) ? Number(text) : Number.NaN
  return cap <= capMax ? cap : null
}

export function rateArgument(text: string): NumberOrDefault {
  if (text === 'default') return text
  if (!/^[1-9][0-9]{0,5}$/.test(text))
    throw new InvalidArgumentError('It must be 1 to 999999, or default for no limit.')
  return Number(text)
}

export function shardsArgument(text: string): number {
  if (!/^[1-9][0-9]{0,2}$/.test(text)) throw new InvalidArgumentError('It must be 1 to 999.')
  return Number(text)
}

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `90s`, `30m`, `24h`, `7d`, or 0. */
export function durationArgument(text: string): number {
  const [, digits, unit] = /^(0|[1-9][0-9]{0,5})([smhd])?$/.exec(text) ?? []
  if (digits === undefined || (unit === undefined && digits !== '0')) {
    throw new InvalidArgumentError('It must be a duration such as 90s, 30m, 24h or 7d.')
  }
  return Number(digits) * (unit === undefined ? 0 : unitMs[unit as keyof typeof unitMs])
}

export function timestampArgument(text: string): string {
  if (!/^[1-9][0-9]{0,15}$/.test(text)) throw new InvalidArgumentError('It must be milliseconds since 1970.')
  return text
}

/** A raw amount, as an award has it. */
export function amountArgument(text: string): number {
  const amount = /^[1-9][0-9]{0,15}$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(amount))
    throw new InvalidArgumentError('It must be a whole amount, such as 5000.')
  return amount
}

/** For an option that may be given several times. */
export function repeated(text: string, before: string[] | undefined): string[] {
  return [...(before ?? []), text]
}
