import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPlaces } from './places.ts'

const limits = { inFlightMax: 4, perOperatorMax: 3, strangersMax: 3, strangersPerAddressMax: 2 }
const stranger = (address: string) => ({ headers: {}, address })
const session = `partner-credit-session=${'s'.repeat(43)}`
const token = `pct_${'t'.repeat(43)}`
const signedIn = { headers: { cookie: session }, address: '192.0.2.1' }

test('strangers get few places from one address, and not all places together', () => {
  const { take } = createPlaces(limits, { isSecure: false })
  const first = take(stranger('2001:db8::1'))!
  assert.ok(take(stranger('2001:db8::2')))
  assert.equal(take(stranger('2001:db8::3')), null, 'one network')
  assert.ok(take(stranger('192.0.2.1')))
  assert.equal(take(stranger('192.0.2.2')), null)
  first(null)
  assert.ok(take(stranger('192.0.2.2')))
})

test('a credential is known from its first signed-in request until one that is refused with 401', () => {
  const { take } = createPlaces(limits, { isSecure: false })
  take(signedIn)!({ status: 200, signedInAs: 'mai' })
  for (const address of ['192.0.2.1', '192.0.2.1', '192.0.2.2']) assert.ok(take(stranger(address)))
  take(signedIn)!({ status: 403, signedInAs: null })
  take(signedIn)!({ status: 401, signedInAs: null })
  assert.equal(take(signedIn), null)
})

test('a response that needed no sign-in makes nobody known', () => {
  const { take } = createPlaces(limits, { isSecure: false })
  take(signedIn)!({ status: 200, signedInAs: null })
  for (const address of ['192.0.2.1', '192.0.2.1', '192.0.2.2']) assert.ok(take(stranger(address)))
  assert.equal(take(signedIn), null)
})

test('operators share the places that strangers cannot have, and none of them takes all', () => {
  const { take } = createPlaces(limits, { isSecure: false })
  const other = { ...signedIn, headers: { authorization: `Bearer ${token}` } }
  take(signedIn)!({ status: 200, signedInAs: 'mai' })
  take(other)!({ status: 200, signedInAs: 'lan' })
  const [first] = [take(signedIn)!, take(signedIn), take(signedIn)]
  assert.equal(take(signedIn), null)
  assert.ok(take(other))
  assert.equal(take(other), null, 'all are taken')
  first({ status: 200, signedInAs: 'mai' })
  assert.ok(take(signedIn))
})

test('an operator with several sessions and tokens has the places of one', () => {
  const { take } = createPlaces(limits, { isSecure: false })
  const sessions = ['a', 'b', 'c'].map((letter) => ({
    ...signedIn,
    headers: { cookie: `partner-credit-session=${letter.repeat(43)}` },
  }))
  const ofToken = { ...signedIn, headers: { authorization: `Bearer ${token}` } }
  for (const one of [...sessions, ofToken]) take(one)!({ status: 200, signedInAs: 'mai' })
  const taken = [...sessions, ofToken].map((one) => take(one) !== null)
  assert.deepEqual(taken, [true, true, true, false])
})

for (const [what, ways] of [
  [
    'a token',
    ['Bearer', 'bearer', 'BEARER', 'bEARER'].map((scheme) => ({ authorization: `${scheme} ${token}` })),
  ],
  [
    'a session',
    [session, `a=1; ${session}`, `${session}; a=2`, ` ${session};`].map((cookie) => ({ cookie })),
  ],
] as const) {
  test(`${what} is one credential, however its header is written`, () => {
    const { take } = createPlaces(limits, { isSecure: false })
    const asked = ways.map((headers) => ({ headers, address: '192.0.2.1' }))
    for (const one of asked) take(one)!({ status: 200, signedInAs: 'mai' })
    const taken = asked.map((one) => take(one) !== null)
    assert.deepEqual(taken, [true, true, true, false])
  })
}

test('a header that holds no credential of ours is that of a stranger, even if its response was signed in', () => {
  const others: Record<string, string>[] = [
    { authorization: 'Basic YTpi' },
    { authorization: 'Bearer nothing' },
    { authorization: 'Basic YTpi', cookie: session },
    { cookie: 'partner-credit-session=short' },
    { cookie: `other=${'s'.repeat(43)}` },
  ]
  for (const headers of others) {
    const { take } = createPlaces(limits, { isSecure: false })
    const asked = { headers, address: '192.0.2.1' }
    take(asked)!({ status: 200, signedInAs: 'mai' })
    assert.deepEqual([take(asked), take(asked), take(asked)].map(Boolean), [true, true, false])
  }
})
