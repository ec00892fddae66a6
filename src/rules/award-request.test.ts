import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anAwardBody } from '../../test/support/awards.ts'
import { readAwardRequest } from './award-request.ts'

test('a request without note and meta has null for both', () => {
  assert.deepEqual(requestOf(anAwardBody()), {
    tenantId: 't1',
    orderId: 'A1',
    userEmail: 'lan@example.vn',
    amount: 5000,
    note: null,
    meta: null,
  })
})

test('null for note or meta means absent', () => {
  assert.deepEqual(requestOf(anAwardBody({ note: null, meta: null })), requestOf(anAwardBody()))
})

test('the address is lowercased, and only the address', () => {
  const { userEmail, orderId, tenantId } = requestOf(
    anAwardBody({ userEmail: 'USER@Example.COM', orderId: 'Ab', tenantId: 'Tn' }),
  )
  assert.deepEqual([userEmail, orderId, tenantId], ['user@example.com', 'Ab', 'Tn'])
})

const notAnObject: [why: string, body: Uint8Array | string, detail: RegExp][] = [
  ['an empty body', '', /not JSON/],
  ['null', 'null', /must be a JSON object/],
  ['an array', '[]', /must be a JSON object/],
  ['a string', '"x"', /must be a JSON object/],
  ['a number', '5', /must be a JSON object/],
  ['a truncated body', anAwardBody().slice(0, -1), /not JSON/],
  ['two documents', anAwardBody().repeat(2), /not JSON/],
  ['a byte order mark', `\ufeff${anAwardBody()}`, /byte order mark/],
  ['UTF-16', Buffer.from(anAwardBody(), 'utf16le'), /not JSON/],
  ['UTF-16 with its mark', Buffer.from(`\ufeff${anAwardBody()}`, 'utf16le'), /not valid UTF-8/],
  ['a byte that is not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), /not valid UTF-8/],
  ['an overlong encoding', Buffer.from([0x22, 0xc0, 0xaf, 0x22]), /not valid UTF-8/],
  ['a surrogate encoded in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), /not valid UTF-8/],
  ['a sequence cut off at the end', Buffer.from([0x7b, 0xe2, 0x82]), /not valid UTF-8/],
]
for (const [why, body, detail] of notAnObject) {
  test(`refused as a whole: ${why}`, () => {
    const errors = errorsOf(body)
    assert.deepEqual(
      errors.map(({ pointer }) => pointer),
      [''],
    )
    assert.match(errors[0]!.detail, detail)
  })
}

test('a body that is not UTF-8 leaves no trace in the reading of the next', () => {
  errorsOf(Buffer.from([0x7b, 0xe2, 0x82]))
  assert.equal(requestOf(anAwardBody()).orderId, 'A1')
})

const string = /must be a string/
const length200 = /1 to 200 characters/
const control = /control characters/
const surrogate = /lone surrogate/
const integer = /integer of at most 9007199254740991/
const positive = /greater than zero/
// Values as JSON text: JSON.stringify would already repair some of them.
const refused: [field: string, json: string | undefined, detail: RegExp, why?: string][] = [
  ['tenantId', undefined, string],
  ['tenantId', 'null', string],
  ['tenantId', '5', string],
  ['tenantId', '""', /1 to 64/],
  ['tenantId', `"${'t'.repeat(65)}"`, /1 to 64/, '65 characters'],
  ['tenantId', '"t 1"', /1 to 64/],
  ['orderId', undefined, string],
  ['orderId', 'null', string],
  ['orderId', '17', string],
  ['orderId', '""', length200],
  ['orderId', `"${'x'.repeat(201)}"`, length200, '201 characters'],
  ['orderId', `"${'😀'.repeat(201)}"`, length200, '201 emoji'],
  ['orderId', '"a\\u0000"', control],
  ['orderId', '"a\\tb"', control],
  ['orderId', '"a\\nb"', control],
  ['orderId', '"a\\u007f"', control],
  ['orderId', '"a\\u0085"', control],
  ['orderId', '"a\\ud800"', surrogate],
  ['orderId', '"\\udc00a"', surrogate],
  ['userEmail', undefined, string],
  ['userEmail', 'null', string],
  ['userEmail', '["lan@example.vn"]', string],
  ['userEmail', '"lan"', /name@domain/],
  ['userEmail', '"lan@example"', /two labels/],
  ['userEmail', '"lán@example.vn"', /ASCII/],
  ['amount', undefined, /must be a number/],
  ['amount', 'null', /must be a number/],
  ['amount', '"5000"', /must be a number/],
  ['amount', 'true', /must be a number/],
  ['amount', '1500.5', integer],
  ['amount', '1000.0000000000000001', integer],
  ['amount', '9007199254740992', integer],
  ['amount', '1e400', integer],
  ['amount', '0', positive],
  ['amount', '-0', positive],
  ['amount', '-1', positive],
  ['note', '5', string],
  ['note', '{}', string],
  ['note', `"${'x'.repeat(501)}"`, /at most 500 characters/, '501 characters'],
  ['note', `"${'😀'.repeat(501)}"`, /at most 500 characters/, '501 emoji'],
  ['note', '"a\\u0000"', control],
  ['note', '"a\\u001b"', control],
  ['note', '"a\\u0085"', control],
  ['note', '"a\\ud800b"', surrogate],
  ['meta', '[]', /must be an object/],
  ['meta', '"x"', /must be an object/],
  ['meta', '5', /must be an object/],
  ['meta', 'false', /must be an object/],
  ['meta', `{"a":"${'x'.repeat(16_377)}"}`, /at most 16384 bytes/, '16,385 bytes'],
  ['meta', `{"a":"${'é'.repeat(8_189)}"}`, /at most 16384 bytes/, '16,386 bytes in fewer characters'],
]
for (const [field, json, detail, why] of refused) {
  test(`${field} is refused: ${why ?? json ?? 'missing'}`, () => {
    const errors = errorsOf(bodyWith(field, json))
    assert.deepEqual(
      errors.map(({ pointer }) => pointer),
      [`/${field}`],
    )
    assert.match(errors[0]!.detail, detail)
  })
}

const accepted: [field: string, json: string, value: string | number, why?: string][] = [
  ['tenantId', `"${'t'.repeat(64)}"`, 't'.repeat(64), '64 characters'],
  ['orderId', '"x"', 'x'],
  ['orderId', `"${'x'.repeat(200)}"`, 'x'.repeat(200), '200 characters'],
  ['orderId', `"${'😀'.repeat(200)}"`, '😀'.repeat(200), '200 emoji'],
  ['orderId', '"A1 "', 'A1 ', 'nothing is trimmed'],
  ['orderId', '"e\\u0301"', 'e\u0301', 'nothing is composed'],
  ['orderId', '"\'; DROP TABLE entries --"', "'; DROP TABLE entries --"],
  ['orderId', '"<script>"', '<script>'],
  ['orderId', '"__proto__"', '__proto__'],
  ['orderId', '"constructor"', 'constructor'],
  ['amount', '1', 1, 'below the minimum is not a field rule'],
  ['amount', '999', 999],
  ['amount', '5000.0', 5000],
  ['amount', '5e3', 5000],
  ['amount', '9007199254740991', 9_007_199_254_740_991],
  ['note', '""', '', 'empty'],
  ['note', `"${'x'.repeat(500)}"`, 'x'.repeat(500), '500 characters'],
  ['note', `"${'😀'.repeat(500)}"`, '😀'.repeat(500), '500 emoji'],
  ['note', '"a\\tb\\nc"', 'a\tb\nc', 'tab and newline'],
  ['note', '" cảm ơn "', ' cảm ơn ', 'as sent'],
]
for (const [field, json, value, why] of accepted) {
  test(`${field} is accepted: ${why ?? json}`, () => {
    assert.equal(requestOf(bodyWith(field, json))[field as 'orderId'], value)
  })
}

const metas = [
  '{}',
  '{ "b" : 1.10,\n "a" : 12345678901234567890 }',
  '{"zero":-0,"nested":{"list":[1,[2,{"x":null}]]},"big":1e400}',
  '{"escape":"\\u0041\\/","constructor":1,"":2}',
  `{"a":"${'x'.repeat(16_376)}"}`,
]
for (const meta of metas) {
  test(`meta is kept exactly as sent: ${meta.slice(0, 60).replaceAll('\n', ' ')} (${meta.length} characters)`, () => {
    assert.equal(requestOf(bodyWith('meta', ` ${meta} `)).meta, meta)
  })
}

test('meta may have 32 levels and no more', () => {
  const levels = (count: number) => `${'{"a":'.repeat(count - 1)}{}${'}'.repeat(count - 1)}`
  assert.equal(requestOf(bodyWith('meta', levels(32))).meta, levels(32))
  assert.deepEqual(errorsOf(bodyWith('meta', levels(33))), [
    { pointer: '/meta', detail: 'is nested deeper than 32 levels' },
  ])
})

const advice = 'is not a field of an award: put free-form data into meta'
const unknown: [name: string, error: { pointer: string; detail: string }][] = [
  ['currency', { pointer: '/currency', detail: advice }],
  ['Note', { pointer: '/Note', detail: advice }],
  ['tenant_id', { pointer: '/tenant_id', detail: advice }],
  ['constructor', { pointer: '/constructor', detail: advice }],
  ['lan@example.vn', { pointer: '', detail: `an unknown key ${advice}` }],
  ['', { pointer: '', detail: `an unknown key ${advice}` }],
]
for (const [name, error] of unknown) {
  test(`an unknown field ${JSON.stringify(name)} is refused, named where it is a plain word`, () => {
    assert.deepEqual(errorsOf(anAwardBody({ [name]: 1 })), [error])
  })
}

test('a duplicate key is refused, so that a proxy and we cannot read two different amounts', () => {
  const body = `${anAwardBody().slice(0, -1)},"amount":9000}`
  assert.deepEqual(
    errorsOf(body).map(({ pointer }) => pointer),
    ['/amount'],
  )
})

test('every broken rule is named at once', () => {
  const body = '{"orderId":"","userEmail":"x","amount":0,"note":5,"meta":[],"extra":1}'
  assert.deepEqual(
    errorsOf(body).map(({ pointer }) => pointer),
    ['/extra', '/tenantId', '/orderId', '/userEmail', '/amount', '/note', '/meta'],
  )
})

test('any bytes give a request or errors', () => {
  const mutated = fc.tuple(fc.nat(anAwardBody().length - 1), fc.nat(255)).map(([at, byte]) => {
    const body = Buffer.from(anAwardBody())
    body[at] = byte
    return body
  })
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array(), mutated), (body) => {
      const checked = readAwardRequest(body)
      if (!checked.ok) assert.ok(checked.errors.length > 0)
    }),
    { numRuns: 1000 },
  )
})

test('an error never repeats what a field holds', () => {
  const fields = fc.constantFrom('tenantId', 'orderId', 'userEmail', 'amount', 'note', 'meta')
  fc.assert(
    fc.property(fields, fc.array(fc.string()), (field, words) => {
      const errors = errorsOf(anAwardBody({ [field]: ['zq@', ...words] }))
      assert.doesNotMatch(JSON.stringify(errors), /zq@/)
    }),
  )
})

test('bad keys and broken fields are reported in one response', () => {
  const errors = errorsOf('{"orderId":"A1","orderId":"A2","meta":{"__proto__":1},"extra":1,"amount":0}')
  assert.deepEqual(
    errors.map(({ pointer }) => pointer),
    ['/orderId', '/meta/__proto__', '/extra', '/tenantId', '/userEmail', '/amount'],
  )
  assert.deepEqual(
    errorsOf('[{"a":1,"a":2}]').map(({ detail }) => detail),
    ['appears twice: send each key once', 'the body must be a JSON object'],
  )
})

test('a body full of errors does not become a longer response', () => {
  const doubled = Array.from({ length: 2000 }, () => '"k":1').join()
  const unknown = keys(58)
  assert.equal(errorsOf(bodyWith('meta', `{${doubled}}`)).length, 50)
  assert.equal(errorsOf(`{${unknown},${anAwardBody().slice(1)}`).length, 50)
})

const tooLong = [{ pointer: '/meta', detail: 'must not have more than 16384 bytes in an object or array' }]
const unread: [what: string, body: string, errors: unknown][] = [
  ['fields', `{${keys(7000)}`, [{ pointer: '', detail: 'the body has more than 64 top-level fields' }]],
  ['keys of meta', `{"meta":{${keys(2500)}`, tooLong],
  ['items of meta', `{"meta":{"a":[${'1,'.repeat(20_000)}`, tooLong],
  ['items', `[${'1,'.repeat(20_000)}`, [{ ...tooLong[0], pointer: '' }]],
]
for (const [what, body, errors] of unread)
  test(`a body of too many ${what} is read no further: what comes after them is not looked at`, () => {
    assert.deepEqual(errorsOf(body), errors)
  })

test('whatever ends the reading of a body, the tenant before it is known', () => {
  for (const rest of [keys(70), `"meta":{${keys(2500)}}`, '"orderId":'])
    assert.equal(readAwardRequest(Buffer.from(`{"tenantId":"t1",${rest}}`)).tenantId, 't1', rest.slice(0, 20))
})

test('64 top-level fields, and a meta of 16,384 bytes that has only short items, are read to their end', () => {
  const meta = `{"ab":[${'1,'.repeat(8_187)}1]}`
  assert.equal(meta.length, 16_384)
  assert.equal(requestOf(bodyWith('meta', meta)).meta, meta)
  assert.equal(errorsOf(`{${keys(60)},${anAwardBody().slice(1)}`).length, 50)
})

function keys(count: number): string {
  return Array.from({ length: count }, (_, index) => `"k${index}":1`).join()
}

function bodyWith(field: string, json: string | undefined): string {
  const rest = anAwardBody({ [field]: undefined })
  return json === undefined ? rest : `{"${field}":${json},${rest.slice(1)}`
}

function requestOf(body: string) {
  const checked = readAwardRequest(Buffer.from(body))
  assert.ok(checked.ok, JSON.stringify(checked))
  return checked.request
}

function errorsOf(body: string | Uint8Array) {
  const checked = readAwardRequest(Buffer.from(body as string))
  assert.ok(!checked.ok)
  return checked.errors
}
