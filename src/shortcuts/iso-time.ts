import { dayMs } from '../rules/vietnam-day.ts'

let knownMs = Number.NaN
let knownText = ''
let knownDay = Number.NaN
let letters = Buffer.alloc(0)

/**
 * The text of `Date.toISOString`, for pages with a hundred times: awards of one commit have the same one, and the date,
 * which takes it longest, is made once for all times of a day. Written into bytes, because a text of many pieces is put
 * together again by whoever reads it.
 */
export function isoTime(ms: number): string {
  if (ms !== knownMs) {
    knownText = written(ms)
    knownMs = ms
  }
  return knownText
}

function written(ms: number): string {
  const day = Math.floor(ms / dayMs)
  if (day !== knownDay) {
    letters = Buffer.from(new Date(ms).toISOString())
    knownDay = day
  }
  const time = ms - day * dayMs
  const seconds = Math.trunc(time / 1000)
  const minutes = Math.trunc(seconds / 60)
  const start = letters.length - '00:00:00.000Z'.length
  writeTwo(Math.trunc(minutes / 60), start)
  writeTwo(minutes % 60, start + 3)
  writeTwo(seconds % 60, start + 6)
  writeTwo(Math.trunc((time % 1000) / 10), start + 9)
  letters[start + 11] = digitZero + (time % 10)
  return letters.toString('latin1')
}

const digitZero = 0x30

function writeTwo(value: number, at: number): void {
  letters[at] = digitZero + Math.trunc(value / 10)
  letters[at + 1] = digitZero + (value % 10)
}
