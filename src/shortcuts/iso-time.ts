/**
 * Replaces: `new Date(ms).toISOString()`.
 * Buys: the 100 times of a page take about a third of the time (`npm run shortcuts`).
 * Compared in: src/shortcuts/iso-time.test.ts
 */
const dayMs = 86_400_000
const digitZero = 0x30

/**
 * Writes times that repeat or follow each other: those of one page of history, of the log lines, of the end of a day. The
 * date, which takes longest, is made once for all times of a day. The digits are written into bytes: a string of many pieces
 * is flattened by its reader.
 */
export function createIsoTimes(): (ms: number) => string {
  let knownMs = Number.NaN
  let knownText = ''
  let knownDay = Number.NaN
  let letters = Buffer.alloc(0)

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

  function writeTwo(value: number, at: number): void {
    letters[at] = digitZero + Math.trunc(value / 10)
    letters[at + 1] = digitZero + (value % 10)
  }

  return (ms) => {
    if (ms !== knownMs) {
      knownText = written(ms)
      knownMs = ms
    }
    return knownText
  }
}
