import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isoTime, NotATime, storedDayText } from './iso-time.ts'

test('a time is written in ISO 8601, with milliseconds, up to the last date there is', () => {
  assert.equal(isoTime(0), '1970-01-01T00:00:00.000Z')
  assert.equal(isoTime(8.64e15), '+275760-09-13T00:00:00.000Z')
})

test('a stored day is written as a day', () => {
  assert.equal(storedDayText(20_773, 'entries'), '2026-11-16')
})

test('a number that is not a date is named, with the table it was read from', () => {
  assert.throws(() => isoTime(8.64e15 + 1, 'entries'), NotATime)
  assert.throws(
    () => isoTime(Number.NaN),
    /^Error: a row cannot be read: it holds the time NaN, which is not/,
  )
  assert.throws(
    () => isoTime(-9e15, 'keys'),
    /^Error: a row of keys cannot be read: it holds the time -9000000000000000, /,
  )
  assert.throws(
    () => storedDayText(1e9, 'user_days'),
    /^Error: a row of user_days cannot be read: it holds a time of day 1000000000 since 1970, /,
  )
})

test('for a row of the ledger there is a backup; one of the journal or of sessions is deleted', () => {
  assert.throws(() => isoTime(9e15, 'entries'), /or with verify, and correct it from a backup$/)
  for (const table of ['journal_refusals', 'journal_replays', 'alerts', 'access_log', 'operator_sessions'])
    assert.throws(
      () => isoTime(9e15, table),
      /: find the row by this value, on SQLite in the file "…-operator", and delete it: it is not part of the ledger$/,
    )
})
