import { dayMs } from './vietnam-day.ts'

let knownDay = Number.NaN
let knownDate = ''

/**
 * The text of `Date.toISOString`, for pages with a hundred times: the date, which takes it longest, is made once for
 * all times of a day.
 */
export function isoTime(ms: number): string {
  const day = Math.floor(ms / dayMs)
  if (day !== knownDay) {
    knownDate = new Date(ms).toISOString().slice(0, -timeLength)
    knownDay = day
  }
  const time = ms - day * dayMs
  const seconds = (time / 1000) | 0
  const minutes = (seconds / 60) | 0
  const hours = (minutes / 60) | 0
  return `${knownDate}${two(hours)}:${two(minutes % 60)}:${two(seconds % 60)}.${three(time % 1000)}Z`
}

const timeLength = '00:00:00.000Z'.length

function two(value: number): string {
  return value < 10 ? `0${value}` : `${value}`
}

function three(value: number): string {
  return value < 100 ? `0${two(value)}` : `${value}`
}
