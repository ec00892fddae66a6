import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { dayVectors } from '../../test/support/vectors.ts'
import { dayText, nextVietnamMidnight, parseDay, vietnamDay, vietnamDayStart } from './vietnam-day.ts'

for (const { name, moment, ms, vietnamDay: day, resetsAt } of dayVectors) {
  test(`${name}: ${moment} belongs to the Vietnam day ${day}, which ends at ${resetsAt}`, () => {
    assert.equal(ms, Date.parse(moment))
    assert.equal(dateOf(vietnamDay(ms)), day)
    assert.equal(new Date(nextVietnamMidnight(ms)).toISOString(), resetsAt)
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

test('a day is written and read as a date of the calendar', () => {
  const day = vietnamDay(Date.parse('2026-11-15T17:00:00Z'))
  assert.equal(dayText(day), '2026-11-16')
  assert.equal(parseDay('2026-11-16'), day)
  assert.equal(vietnamDayStart(day), Date.parse('2026-11-15T17:00:00Z'))
  for (const text of ['2026-11-31', '2026-1-1', '2026-11-16T00:00', '', '16.11.2026', '2026-13-01'])
    assert.equal(parseDay(text), null, text)
})
