import assert from 'node:assert/strict'
import { test } from 'node:test'
import { utf8 } from './bytes.ts'
import { excerpts, firstDifference, shownFromEnd, shownFromStart } from './excerpts.ts'

test('a string that is too long to be looked at is shown by its beginning and its end', () => {
  const whole = new Uint8Array(shownFromStart + shownFromEnd)
  assert.deepEqual(
    excerpts(whole).map(({ start, bytes }) => [start, bytes.length]),
    [[0, whole.length]],
  )
  const [beginning, end] = excerpts(Uint8Array.from([...whole, 0x7a]))
  assert.deepEqual([beginning!.start, beginning!.bytes.length], [0, shownFromStart])
  assert.deepEqual([end!.start, end!.bytes.length], [shownFromStart + 1, shownFromEnd])
  assert.equal(end!.bytes.at(-1)!.text, 'z')
})

test('two strings part at their first different byte, or where the shorter one ends', () => {
  const differ = (one: string, other: string) => firstDifference(utf8(one), utf8(other))
  assert.deepEqual(
    [differ('abc', 'abd'), differ('ab', 'abc'), differ('abc', 'ab'), differ('a', 'a')],
    [2, 2, 2, null],
  )
})
