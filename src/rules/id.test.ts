import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isId } from './id.ts'

for (const text of ['t', 'T1', '0', 'a.b_c-d', 'constructor', 'x'.repeat(64)]) {
  test(`an id may be ${JSON.stringify(text)}`, () => {
    assert.equal(isId(text), true)
  })
}

const refused: [why: string, text: string][] = [
  ['empty', ''],
  ['longer than 64', 'x'.repeat(65)],
  ['begun with a dot', '.a'],
  ['begun with an underscore (so never __proto__)', '__proto__'],
  ['begun with a hyphen', '-a'],
  ['with a space', 'a b'],
  ['with a newline at its end', 'a\n'],
  ['with a slash', 'a/b'],
  ['with a letter beyond ASCII', 'tệp'],
  ['with the Kelvin sign', 'a\u212a'],
]
for (const [why, text] of refused) {
  test(`an id is never ${why}`, () => {
    assert.equal(isId(text), false)
  })
}

test('no JSON object is an id, so that no signature is valid on both endpoints', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.constantFrom('', ' ', '\n'),
      (object, space) => {
        assert.equal(isId(space + JSON.stringify(object)), false)
      },
    ),
  )
})
