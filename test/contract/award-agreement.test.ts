import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readAwardRequest } from '../../src/rules/award-request.ts'
import { anAwardBody } from '../support/awards.ts'
import { namedBy, published, publishedSchema } from '../support/published-contract.ts'

const pointer = '/components/schemas/AwardRequest'
const schemaAccepts = publishedSchema(pointer)

/** Text about as long as the limit, in characters of one and two UTF-16 units, sometimes with a control character. */
function textAround(limit: number): fc.Arbitrary<string> {
  const length = fc.oneof(fc.nat(3), fc.constantFrom(limit - 1, limit, limit + 1))
  const filled = fc
    .tuple(fc.constantFrom('x', 'é', '😀'), length)
    .map(([character, count]) => character.repeat(count))
  const control = fc.constantFrom(
    '',
    '',
    '',
    '\t',
    '\n',
    '\r',
    '\0',
    '\x0b',
    '\x1f',
    '\x7f',
    '\x85',
    '\x9f',
    '\xa0',
  )
  return fc.oneof(
    fc.tuple(filled, control).map(([text, end]) => text + end),
    fc.string({ unit: 'binary' }),
  )
}

const label = fc.oneof(
  fc.constantFrom('example', 'vn', 'a', '-a', 'a-', 'a-b', 'xn--mnchen-3ya', '', 'a_b', 'ü'),
  fc.constantFrom(62, 63, 64).map((length) => 'd'.repeat(length)),
)
const local = fc.oneof(
  fc.constantFrom(
    'lan',
    'l.a.n',
    '.lan',
    'lan.',
    'l..n',
    '',
    'l n',
    'lan+shop',
    '"lan"',
    "!#$%&'*+/=?^_`{|}~-",
    'lán',
  ),
  fc.constantFrom(63, 64, 65).map((length) => 'l'.repeat(length)),
)
const address = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('lan@example.vn', 'USER@Example.COM', '1@2.a') },
  {
    weight: 5,
    arbitrary: fc
      .tuple(local, fc.array(label, { maxLength: 4 }))
      .map(([name, labels]) => `${name}@${labels.join('.')}`),
  },
  {
    weight: 1,
    arbitrary: fc.oneof(fc.emailAddress(), fc.string(), fc.constantFrom('a@b@c.de', 'lan@example.vn\n')),
  },
)

const anything = fc.jsonValue({ maxDepth: 2 }).filter((value) => !JSON.stringify(value).includes('__proto__'))
const mostly = <T>(good: fc.Arbitrary<T>, doubtful: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 8, arbitrary: good },
    { weight: 3, arbitrary: doubtful },
    { weight: 1, arbitrary: anything },
  )

const tenant = fc.oneof(
  fc.string({ maxLength: 3 }),
  fc.constantFrom('t.1', '_t', 't 1', 't\n', '', 't'.repeat(64), 't'.repeat(65)),
)
const number = fc.oneof(
  fc.integer({ min: -3, max: 3000 }),
  fc.double({ noNaN: true }),
  fc.constantFrom(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER + 1, 1e300, 0.5, 5e3, '5000'),
)
const body = fc.record(
  {
    tenantId: mostly(fc.constant('t1'), tenant),
    orderId: mostly(fc.constant('A1'), textAround(200)),
    userEmail: mostly(fc.constant('lan@example.vn'), address),
    amount: mostly(fc.constant(5000), number),
    note: mostly(fc.constantFrom('thanks', null), textAround(500)),
    meta: mostly(fc.constantFrom({ shop: 7 }, {}, null), anything),
    other: anything,
  },
  { requiredKeys: ['tenantId', 'orderId', 'userEmail', 'amount', 'note'] },
)
// Most bodies have no foreign field, and all that must be there: otherwise few would be valid.
const bodies = fc
  .tuple(body, fc.nat(9), fc.constantFrom('tenantId', 'orderId', 'userEmail', 'amount', 'note'))
  .map(([{ other, ...fields }, chance, dropped]) => {
    if (chance === 0 && other !== undefined) return { ...fields, other }
    return chance === 1 ? { ...fields, [dropped]: undefined } : fields
  })
  .map((fields) => JSON.stringify(fields))

test('the published schema and the service name the same broken fields, whatever is sent', () => {
  const counts = { accepted: 0, refused: 0 }
  fc.assert(
    fc.property(bodies, (text) => {
      const checked = readAwardRequest(Buffer.from(text))
      const accepted = schemaAccepts(JSON.parse(text))
      counts[accepted ? 'accepted' : 'refused']++
      const named = checked.ok ? [] : checked.errors.map(({ pointer }) => pointer.slice(1))
      deepEqual(new Set(named), namedBy(schemaAccepts.errors))
      equal(checked.ok, accepted)
    }),
    { numRuns: 3000 },
  )
  ok(Math.min(counts.accepted, counts.refused) > 300, `too one-sided: ${JSON.stringify(counts)}`)
})

test('each limit of the published schema is met to the character', () => {
  for (const [name, { maxLength }] of Object.entries<{ maxLength?: number }>(
    published.components.schemas.AwardRequest.properties,
  )) {
    if (maxLength === undefined || name === 'userEmail') continue
    for (const character of ['x', '😀']) {
      ok(bothAccept(anAwardBody({ [name]: character.repeat(maxLength) })))
      ok(!bothAccept(anAwardBody({ [name]: character.repeat(maxLength + 1) })))
    }
  }
})

/** For each rule that the schema cannot express: a body that it therefore accepts, and that the service refuses. */
const beyond: Record<string, (string | Uint8Array)[]> = {
  'the body is UTF-8 without a byte order mark': [
    `\ufeff${anAwardBody()}`,
    Buffer.from(anAwardBody({ note: 'é' }), 'latin1'),
  ],
  'no key appears twice in one object, at any depth': [
    `{"amount":1000,${anAwardBody().slice(1)}`,
    anAwardBody({ meta: {} }).replace('{}', '{"a":[{"b":1,"b":1}]}'),
  ],
  'no key at any depth is __proto__': [anAwardBody({ meta: {} }).replace('{}', '{"a":{"__proto__":1}}')],
  'orderId and note have no lone surrogates': [
    anAwardBody({ orderId: 'a\ud800' }),
    anAwardBody({ note: '\udc00' }),
  ],
  'amount is read digit by digit: 1000.0000000000000001 is not an integer': [
    anAwardBody({ amount: 1 }).replace('"amount":1', '"amount":1000.0000000000000001'),
  ],
  'meta has at most 16384 bytes as sent': [anAwardBody({ meta: { a: 'x'.repeat(16_377) } })],
  'meta has at most 32 levels': [
    anAwardBody({ meta: {} }).replace('{}', `{"a":${'['.repeat(32)}${']'.repeat(32)}}`),
  ],
}

test('what the schema cannot say is published in words, and each of these rules is kept', () => {
  deepEqual(Object.keys(beyond), published.components.schemas.AwardRequest['x-rules-beyond-schema'])
  for (const [rule, refused] of Object.entries(beyond)) {
    for (const body of refused) {
      const bytes = Buffer.from(body as string)
      // A lenient reader: it repairs bytes, drops the byte order mark and takes the last of two keys.
      ok(schemaAccepts(JSON.parse(new TextDecoder().decode(bytes))), `${rule}: the schema can say it`)
      ok(!readAwardRequest(bytes).ok, `${rule}: the service does not mind`)
    }
  }
})

function bothAccept(text: string): boolean {
  const { ok } = readAwardRequest(Buffer.from(text))
  equal(schemaAccepts(JSON.parse(text)), ok)
  return ok
}
