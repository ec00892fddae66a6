import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isPlainWord, type Json, JsonNumber, JsonObject, parseStrictJson } from './strict-json.ts'

test('whatever JSON.stringify writes is read as JSON.parse reads it', () => {
  fc.assert(
    fc.property(jsonTexts(), (text) => {
      assert.deepEqual(plain(read(text)), JSON.parse(text))
    }),
    { numRuns: 500 },
  )
})

test('text that was damaged is refused exactly when JSON.parse refuses it', () => {
  const characters = fc.oneof(
    fc.constantFrom(...'{}[]",:\\0123456789.-+eEtfn/ \n\t\u0000\u000b\ufeff'),
    fc.string(),
  )
  const damage = fc.record({ at: fc.nat(), drop: fc.nat(2), put: fc.oneof(fc.constant(''), characters) })
  fc.assert(
    fc.property(jsonTexts(), damage, (text, { at, drop, put }) => {
      const start = at % (text.length + 1)
      const damaged = `${text.slice(0, start)}${put}${text.slice(start + drop)}`
      const json = parseStrictJson(damaged)
      if (json.ok) return assert.deepEqual(plain(json.value), JSON.parse(damaged))
      if (json.errors.every(({ detail }) => !detail.startsWith('not JSON'))) return // a bad key: tested below
      assert.throws(() => JSON.parse(damaged), SyntaxError)
    }),
    { numRuns: 2000 },
  )
})

const unreadable: [why: string, text: string, detail: RegExp][] = [
  ['an empty document', '', /expected a value at line 1, column 1/],
  ['white space alone', ' \n ', /expected a value at line 2, column 2/],
  ['a truncated object', '{"a":1', /expected a comma or } at line 1, column 7/],
  ['a truncated array', '[1', /expected a comma or \]/],
  ['a truncated string', '"abc', /expected a string/],
  ['a trailing comma in an object', '{"a":1,}', /expected a key in double quotes at line 1, column 8/],
  ['a trailing comma in an array', '[1,]', /expected a value at line 1, column 4/],
  ['a missing comma', '{"a":1 "b":2}', /expected a comma or }/],
  ['a missing colon', '{"a" 1}', /expected a colon at line 1, column 6/],
  ['a missing value', '{"a":}', /expected a value/],
  ['a block comment', '{/* */}', /expected a key/],
  ['a line comment', '1 // one', /expected the end of the document at line 1, column 3/],
  ['two documents', '{} {}', /expected the end of the document/],
  ['NaN', 'NaN', /expected a value/],
  ['Infinity', '-Infinity', /expected a value/],
  ['undefined', 'undefined', /expected a value/],
  ['a word begun well', 'nul', /expected a value/],
  ['a word begun well', 'trux', /expected a value/],
  ['a word in capitals', 'False', /expected a value/],
  ['a word that goes on', 'truely', /expected the end of the document/],
  ['a leading zero', '007', /expected the end of the document/],
  ['a leading plus', '+1', /expected a value/],
  ['a leading dot', '.5', /expected a value/],
  ['a dot without digits', '5.', /expected the end of the document/],
  ['an exponent without digits', '1e', /expected the end of the document/],
  ['a hexadecimal number', '0x10', /expected the end of the document/],
  ['single quotes', "{'a':1}", /expected a key in double quotes/],
  ['a key without quotes', '{a:1}', /expected a key in double quotes/],
  ['a raw newline in a string', '"a\nb"', /raw control characters/],
  ['a raw NUL in a string', '"a\u0000b"', /raw control characters/],
  ['an unknown escape', '"\\x41"', /unknown escapes/],
  ['a short \\u escape', '"\\u12"', /unknown escapes/],
  ['a byte order mark', '\ufeff{}', /expected a value at line 1, column 1/],
  ['a non-breaking space between tokens', '{\u00a0}', /expected a key/],
]
for (const [why, text, detail] of unreadable) {
  test(`not JSON: ${why} (${JSON.stringify(text)})`, () => {
    const errors = errorsOf(text)
    assert.equal(errors.length, 1)
    assert.equal(errors[0]!.pointer, '')
    assert.match(errors[0]!.detail, detail)
  })
}

const twice = 'appears twice: send each key once'
const proto = 'is not accepted as a key'
const badKeys: [why: string, text: string, errors: { pointer: string; detail: string }[]][] = [
  ['a duplicate key', '{"a":1,"a":1}', [{ pointer: '/a', detail: twice }]],
  ['a duplicate key written with an escape', '{"a":1,"\\u0061":1}', [{ pointer: '/a', detail: twice }]],
  ['a duplicate key inside', '{"meta":{"a":[{"b":1,"b":2}]}}', [{ pointer: '/meta/a/0/b', detail: twice }]],
  ['a duplicate key behind a list', '{"a":[1,[2],3],"b":1,"b":2}', [{ pointer: '/b', detail: twice }]],
  ['__proto__', '{"__proto__":{}}', [{ pointer: '/__proto__', detail: proto }]],
  ['__proto__ inside', '{"meta":{"__proto__":1}}', [{ pointer: '/meta/__proto__', detail: proto }]],
  ['__proto__ written with an escape', '{"__prot\\u006f__":1}', [{ pointer: '/__proto__', detail: proto }]],
  [
    'every bad key at once',
    '{"a":1,"a":2,"b":{"__proto__":1,"c":1,"c":2}}',
    [
      { pointer: '/a', detail: twice },
      { pointer: '/b/__proto__', detail: proto },
      { pointer: '/b/c', detail: twice },
    ],
  ],
  [
    'a key that is no plain word, by its place and not by its name',
    '{"a b":1,\n"a b":2}',
    [{ pointer: '', detail: `a key before line 2, column 6 ${twice}` }],
  ],
  [
    'several of them on several lines, each by its own place',
    '{\n"a b":1,\n "a b":2,"a b":3,\n\n"a b":4}',
    [
      { pointer: '', detail: `a key before line 3, column 7 ${twice}` },
      { pointer: '', detail: `a key before line 3, column 15 ${twice}` },
      { pointer: '', detail: `a key before line 5, column 6 ${twice}` },
    ],
  ],
  [
    'a key that is no plain word inside a field, by the field and its place',
    '{"meta":{"u@x.vn":1,"u@x.vn":2}}',
    [{ pointer: '/meta', detail: `a key before line 1, column 29 ${twice}` }],
  ],
]
for (const [why, text, errors] of badKeys) {
  test(`refused, naming ${why}`, () => {
    assert.deepEqual(errorsOf(text), errors)
  })
}

test('the same key in two different objects is no duplicate', () => {
  assert.deepEqual(plain(read('[{"a":1},{"a":{"a":2}}]')), [{ a: 1 }, { a: { a: 2 } }])
})

const private_ = '"lan@example.vn"'
const deep = `${'['.repeat(40)}${']'.repeat(40)}`
const secretive: [why: string, text: string][] = [
  ['a duplicate address', `{${private_}:1,${private_}:2}`],
  ['an address in the way of a duplicate', `{"meta":{${private_}:{"a":1,"a":2}}}`],
  ['an address, then a syntax error', `{"meta":{${private_}:1,}}`],
  ['an address as value, then a syntax error', `{"userEmail":${private_} x}`],
  ['an address at the top, in the way of a duplicate', `{${private_}:{"a":1,"a":2}}`],
  ['an address at the top, in the way of too deep a nest', `{${private_}:${deep}}`],
]
for (const [why, text] of secretive) {
  test(`a error repeats nothing of the document but plain words: ${why}`, () => {
    assert.doesNotMatch(JSON.stringify(errorsOf(text)), /lan|@/)
  })
}

test('an object of 33 levels is read: the request and 32 levels of meta', () => {
  assert.equal(parseStrictJson(`{"meta":${nested(32)}}`).ok, true)
  assert.equal(parseStrictJson(`{"meta":{"a":${'['.repeat(31)}${']'.repeat(31)}}}`).ok, true)
})

test('one level more is refused, naming the field', () => {
  const error = [{ pointer: '/meta', detail: 'is nested deeper than 32 levels' }]
  assert.deepEqual(errorsOf(`{"meta":${nested(33)}}`), error)
  assert.deepEqual(errorsOf(`{"meta":{"a":${'['.repeat(32)}${']'.repeat(32)}}}`), error)
})

test('a document that is no object and too deep is refused', () => {
  assert.deepEqual(errorsOf('['.repeat(34)), [{ pointer: '', detail: 'is nested deeper than 32 levels' }])
})

test('a hundred thousand open brackets are a error, not an overflow of the stack', () => {
  assert.equal(parseStrictJson('['.repeat(100_000)).ok, false)
  assert.equal(parseStrictJson('{"a":'.repeat(100_000)).ok, false)
})

test('numbers keep their digits', () => {
  for (const text of ['1.10', '12345678901234567890', '-0', '1E+2', '0.1e-7', '1e400']) {
    assert.deepEqual(read(text), new JsonNumber(text))
  }
})

test('an object keeps its text from brace to brace, white space and key order included', () => {
  const meta = '{ "b" : 1.10,\n\t"a":[ ] , "é":"\\u0041" }'
  const body = read(` {"x":1, "meta" : ${meta} , "y":2} `)
  assert.ok(body instanceof JsonObject)
  assert.equal(body.text, `{"x":1, "meta" : ${meta} , "y":2}`)
  const inner = body.members.get('meta')
  assert.ok(inner instanceof JsonObject)
  assert.equal(inner.text, meta)
})

test('keys such as constructor, toString and the empty one are keys like any other', () => {
  const json = read('{"constructor":1,"toString":2,"":3}')
  assert.ok(json instanceof JsonObject)
  assert.deepEqual([...json.members.keys()], ['constructor', 'toString', ''])
})

test('a bug of the caller is thrown and not reported as an error of the document', () => {
  assert.throws(() => parseStrictJson(undefined as never), TypeError)
})

test('a plain word has 1 to 64 letters, digits, dots, underscores or hyphens', () => {
  for (const word of ['a', 'tenantId', 'a.b-c_1', 'x'.repeat(64)]) assert.equal(isPlainWord(word), true, word)
  for (const other of ['', 'x'.repeat(65), 'a b', 'a@b', 'é', 'a/b', 'a\n'])
    assert.equal(isPlainWord(other), false)
})

function jsonTexts() {
  return fc
    .tuple(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(undefined, 1, '\t'))
    .map(([value, indent]) => JSON.stringify(value, null, indent))
    .filter((text) => !text.includes('__proto__'))
}

function read(text: string): Json {
  const json = parseStrictJson(text)
  assert.ok(json.ok)
  return json.value
}

function errorsOf(text: string) {
  const json = parseStrictJson(text)
  assert.ok(!json.ok)
  return json.errors
}

function plain(json: Json): unknown {
  if (json instanceof JsonNumber) return Number(json.text)
  if (Array.isArray(json)) return json.map(plain)
  if (!(json instanceof JsonObject)) return json
  return Object.fromEntries([...json.members].map(([key, value]) => [key, plain(value)]))
}

function nested(levels: number): string {
  return `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`
}

test('fifty errors behind sixty thousand lines take little longer than one, so that one body cannot stop the service', () => {
  const lines = '\n'.repeat(60_000)
  const bodyOf = (errors: number) => `{"a b":0${lines}${',"a b":1'.repeat(errors)}}`
  for (const errors of [1, 50]) timeOf(bodyOf(errors))
  const one = timeOf(bodyOf(1))
  const fifty = timeOf(bodyOf(50))
  assert.ok(
    fifty < 10 * one,
    `${fifty} ms against ${one} ms: to count lines again for each would take fifty times as long`,
  )

  function timeOf(text: string): number {
    const times = [1, 2, 3, 4, 5].map(() => {
      const started = performance.now()
      parseStrictJson(text)
      return performance.now() - started
    })
    return Math.min(...times)
  }
})
