import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasControlCharacters } from './control-characters.ts'

for (const text of ['Acme', 'Initech ☕', 'Công ty Ánh Dương', 'שלום', '👩‍🌾 farm', 'a\u00a0b', '']) {
  test(`${JSON.stringify(text)} can be shown as it is`, () => {
    assert.equal(hasControlCharacters(text), false)
  })
}

for (const [what, text] of [
  ['a terminal escape code', 'a\u001b[2Jb'],
  ['NUL', 'a\u0000'],
  ['a tab', 'a\tb'],
  ['a newline', 'a\nb'],
  ['DEL', 'a\u007f'],
  ['a C1 control sequence introducer', 'a\u009b2J'],
  ['a line separator', 'a\u2028b'],
  ['a paragraph separator', 'a\u2029b'],
  ['a right-to-left override', 'a\u202eb'],
  ['an isolate', 'a\u2066b'],
  ['half of a character', 'a\ud800'],
] as const) {
  test(`${what} is found`, () => {
    assert.equal(hasControlCharacters(text), true)
  })
}
