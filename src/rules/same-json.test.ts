import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sameJson } from './same-json.ts'
import { type Json, parseStrictJson } from './strict-json.ts'

const pairs: [a: string, b: string, same: boolean, why: string][] = [
  ['{"a":1,"b":2}', '{"b":2,"a":1}', true, 'key order does not count'],
  ['{"a":[1,2]}', ' {\n"a" : [ 1,\t2 ] } ', true, 'white space does not count'],
  ['"A"', '"\\u0041"', true, 'an escape equals its character'],
  ['1.10', '1.1', true, 'trailing zeros do not count'],
  ['100', '1e2', true, 'an exponent is another spelling'],
  ['-0', '0', true, 'zero has no sign'],
  ['12345678901234567890', '12345678901234567891', false, 'no digit is rounded away'],
  ['9007199254740993', '9007199254740992', false, 'nor of one that a double rounds'],
  ['0.30000000000004', '0.30000000000005', false, 'nor of a short fraction'],
  ['0.1', '0.10000000000000000001', false, 'no digit of a fraction is rounded away'],
  ['1.5e3', '15E+2', true, 'nor does it matter which exponent'],
  ['1e-98', '1e-99', false, 'small numbers still differ'],
  [`1e${'9'.repeat(99)}`, '1e9', false, 'so do very long exponents'],
  [`1e${'0'.repeat(99)}9`, '1e9', true, 'zeros before an exponent do not count'],
  [`0e${'9'.repeat(99)}`, '0', true, 'nor does any exponent of zero'],
  ['1e400', '1e401', false, 'beyond the doubles numbers still differ'],
  ['[1,2]', '[2,1]', false, 'the order in an array counts'],
  ['[1]', '[1,1]', false, 'the length of an array counts'],
  ['{"a":1}', '{"a":1,"b":null}', false, 'a key more counts, null or not'],
  ['{"a":1,"b":null}', '{"a":1,"c":null}', false, 'the name of a key counts'],
  ['{"a":1}', '{"a":2}', false, 'the value of a key counts'],
  ['1', '"1"', false, 'a number is no string'],
  ['0', 'false', false, 'a number is no boolean'],
  ['[]', '{}', false, 'an array is no object'],
  ['{}', '[]', false, 'an object is no array'],
  ['null', '{}', false, 'null is no object'],
  ['"a"', '"A"', false, 'letters keep their case'],
  ['"\\u00e9"', '"e\\u0301"', false, 'NFC and NFD forms differ'],
]
for (const [a, b, same, why] of pairs) {
  test(`${a} and ${b.replaceAll(/\s+/g, ' ')} are ${same ? 'the same' : 'different'}: ${why}`, () => {
    assert.equal(sameJson(read(a), read(b)), same)
    assert.equal(sameJson(read(b), read(a)), same)
  })
}

// A few small values, so that equal ones meet often.
const { value: smallValues } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, true, 0, 1, 1.5, 1e21, '', 'a'),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 3 }),
  ),
}))

test('sameness is equality of canonical forms, hence reflexive, symmetric and transitive', () => {
  fc.assert(
    fc.property(smallValues, smallValues, (a, b) => {
      assert.equal(sameJson(read(JSON.stringify(a)), read(JSON.stringify(b))), canonical(a) === canonical(b))
    }),
    { numRuns: 1000 },
  )
})

test('a value is the same however its keys are ordered and its white space and numbers are written', () => {
  const values = fc.jsonValue({ maxDepth: 4 }).filter((value) => !JSON.stringify(value).includes('__proto__'))
  fc.assert(
    fc.property(values, fc.gen(), (value, choose) => {
      const [a, b] = [read(JSON.stringify(value)), read(rewritten(value, choose))]
      assert.equal(sameJson(a, b), true)
      assert.equal(sameJson(b, a), true)
    }),
  )
})

function read(text: string): Json {
  const json = parseStrictJson(text)
  assert.ok(json.ok)
  return json.value
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical)}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`)}}`
}

function rewritten(value: unknown, choose: fc.GeneratorValue): string {
  const space = () => choose(fc.constantFrom, '', ' ', '\n', '\r\n\t')
  const list = (items: string[]) => items.map((item) => `${space()}${item}${space()}`).join(',') || space()
  if (Array.isArray(value)) return `[${list(value.map((item) => rewritten(item, choose)))}]`
  if (typeof value === 'number') return numberRewritten(JSON.stringify(value), choose(fc.nat, { max: 2 }))
  if (typeof value === 'string') return escaped(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value)
  const shuffled = choose(fc.shuffledSubarray<[string, unknown]>, members, { minLength: members.length })
  return `{${list(shuffled.map(([key, item]) => `${escaped(key)}${space()}:${space()}${rewritten(item, choose)}`))}}`
}

function numberRewritten(text: string, way: number): string {
  if (way === 0) return text
  if (text.includes('e')) return text.toUpperCase()
  return way === 1 ? `${text}e+00` : `${text}${text.includes('.') ? '' : '.'}00`
}

function escaped(text: string): string {
  const units = Array.from({ length: text.length }, (_, at) =>
    text.charCodeAt(at).toString(16).padStart(4, '0'),
  )
  return `"${units.map((unit) => `\\u${unit}`).join('')}"`
}
