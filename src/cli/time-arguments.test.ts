import assert from 'node:assert/strict'
import { test } from 'node:test'
import { InvalidArgumentError } from 'commander'
import { systemClock } from '../clock.ts'
import { parseDay, vietnamDay, vietnamDayStart } from '../rules/vietnam-day.ts'
import { dayArgument, limitArgument, sinceArgument, untilArgument } from './time-arguments.ts'

function refuses(read: (text: string) => unknown, texts: string[], hint: RegExp): void {
  for (const text of texts) {
    assert.throws(
      () => read(text),
      (error) => error instanceof InvalidArgumentError && hint.test(error.message),
      text,
    )
  }
}

test('a day is a day of the calendar, today or yesterday; anything else is told the format', () => {
  assert.equal(dayArgument('2026-11-16'), parseDay('2026-11-16'))
  const before = vietnamDay(systemClock.now())
  const [today, yesterday] = [dayArgument('today'), dayArgument('yesterday')]
  const after = vietnamDay(systemClock.now())
  assert.ok(today >= before && today <= after)
  assert.ok(yesterday >= before - 1 && yesterday < after)
  refuses(
    dayArgument,
    ['', '16.11.2026', '2026-11-31', '2026-2-3', '2026-11-16T00:00Z', 'Today'],
    /2026-11-16/,
  )
})

test('a beginning is a duration before now, a day in Vietnam, or a time with its offset', () => {
  const hour = 3_600_000
  const dayAgo = sinceArgument('24h')
  assert.ok(Math.abs(systemClock.now() - 24 * hour - dayAgo) < hour)
  assert.equal(sinceArgument('2026-11-16'), Date.parse('2026-11-15T17:00:00Z'))
  assert.equal(sinceArgument('2026-11-16T08:30:00Z'), Date.parse('2026-11-16T08:30:00Z'))
  assert.equal(sinceArgument('2026-11-16T08:30+07:00'), Date.parse('2026-11-16T01:30:00Z'))
  refuses(sinceArgument, ['', '24', '2026-11-16T08:30', '2026-13-01', '-1h', 'last week'], /24h.*2026-11-16/)
})

test('a period may be named by words for Vietnam days, and the day at its end is part of it', () => {
  const day = 86_400_000
  assert.equal(untilArgument('2026-11-16'), Date.parse('2026-11-16T17:00:00Z'))
  assert.equal(untilArgument('2026-11-16T08:30:00Z'), Date.parse('2026-11-16T08:30:00Z'))
  const [since, until] = [sinceArgument('yesterday'), untilArgument('yesterday')]
  assert.equal(vietnamDayStart(vietnamDay(since)), since)
  // Midnight may have passed between the two.
  assert.ok(until - since === day || until - since === 2 * day)
  refuses(untilArgument, ['', 'tomorrow', '2026-11-16T08:30'], /24h.*2026-11-16/)
})

test('a number of rows is 1 to 10000', () => {
  assert.equal(limitArgument('1'), 1)
  assert.equal(limitArgument('10000'), 10_000)
  refuses(limitArgument, ['', '0', '-1', '1.5', '10001', '99999', 'all'], /1 to 10000/)
})
