import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { nextVietnamMidnight, vietnamDay } from './vietnam-day.ts'

const days: [moment: string, date: string][] = [
  ['2026-02-28T16:59:59.999Z', '2026-02-28'],
  ['2026-02-28T17:00:00.000Z', '2026-03-01'],
  ['2026-03-01T00:00:00.000Z', '2026-03-01'],
  ['2026-03-01T16:59:59.999Z', '2026-03-01'],
  ['2024-02-28T17:00:00.000Z', '2024-02-29'],
  ['2025-12-31T17:00:00.000Z', '2026-01-01'],
  ['1970-01-01T00:00:00.000Z', '1970-01-01'],
  ['1969-12-31T16:59:59.999Z', '1969-12-31'],
]
for (const [moment, date] of days) {
  test(`${moment} belongs to the Vietnam day ${date}`, () => {
    assert.equal(dateOf(vietnamDay(Date.parse(moment))), date)
  })
}

test('the counters start again at 17:00 UTC, which is midnight in Vietnam', () => {
  const midnight = Date.parse('2026-03-01T17:00:00.000Z')
  assert.equal(nextVietnamMidnight(midnight - 86_400_000), midnight, 'the first moment of the day')
  assert.equal(nextVietnamMidnight(midnight - 1), midnight, 'the last moment of the day')
  assert.equal(nextVietnamMidnight(midnight), midnight + 86_400_000, 'midnight belongs to the new day')
})

const calendar = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Asia/Ho_Chi_Minh' })
const clock = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Asia/Ho_Chi_Minh', timeStyle: 'medium' })
const moments = fc
  .date({ min: new Date('1980-01-01'), max: new Date('2200-01-01'), noInvalidDate: true })
  .map((date) => date.getTime())

test('the Vietnam day is the date that a calendar in Ho Chi Minh City shows', () => {
  fc.assert(
    fc.property(moments, (ms) => {
      assert.equal(dateOf(vietnamDay(ms)), calendar.format(ms))
    }),
  )
})

test('the next Vietnam midnight is the first moment of the next day', () => {
  fc.assert(
    fc.property(moments, (ms) => {
      const midnight = nextVietnamMidnight(ms)
      assert.equal(clock.format(midnight), '00:00:00')
      assert.ok(midnight > ms && midnight - ms <= 86_400_000)
    }),
  )
})

function dateOf(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10)
}
