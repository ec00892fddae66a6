import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type AuthHeaders, authenticate } from './authenticate.ts'
import { HmacKey } from '../shortcuts/hmac-key.ts'
import type { Caller, KeyDirectory } from './key-directory.ts'
import { sign } from './signature.ts'

const now = 1_700_000_000_000
const windowMs = 300_000
const apiKey = 'pck_acme'
const secret = 'pcs_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LTEyMzQ'
const payload = '{"tenantId":"t1","orderId":"A1","userEmail":"lan@example.vn","amount":5000}'
// Made with OpenSSL: see signature.test.ts.
const signature = '7bcab844a1fa8cc3bb5037aa86b450cdde5b0362a7118fba654654981dcfa495'

const acme: Caller = {
  partnerId: 'acme',
  keyId: 'key_1',
  sandboxTenants: new Set<string>(),
  tenants: new Set(['t1']),
  requestsPerSecond: null,
}
const acmesSecret = new HmacKey(secret)

/** A directory of one key, which ends where the test says, and which notes who is looked up. */
function oneKey(expiresAt = Number.POSITIVE_INFINITY): Pick<KeyDirectory, 'find'> & { asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    find(key, at) {
      asked.push(key)
      return { secret: acmesSecret, caller: () => (key === apiKey && at < expiresAt ? acme : undefined) }
    },
  }
}

const signed: AuthHeaders = { apiKey: [apiKey], timestamp: [String(now)], signature: [signature] }
const invalidSignature = { ok: false, refusal: { code: 'INVALID_SIGNATURE' } }

function answerTo(headers: Partial<AuthHeaders>, { keys = oneKey(), at = now, body = payload } = {}) {
  return authenticate({ ...signed, ...headers }, body, { keys, now: at, windowMs })
}

test('a correctly signed request is its partner, by the key alone', () => {
  assert.deepEqual(answerTo({}), { ok: true, caller: acme })
})

test('a body may be text or bytes', () => {
  const answer = authenticate(signed, Buffer.from(payload), { keys: oneKey(), now, windowMs })
  assert.equal(answer.ok, true)
})

const names = ['apiKey', 'timestamp', 'signature'] as const
for (const name of names) {
  const [value] = signed[name] as [string]
  const forms: [string, string[]][] = [
    ['missing', []],
    ['not there at all', []],
    ['empty', ['']],
    ['repeated', [value, value]],
    ['repeated with another value', [value, 'x']],
    ['not ASCII', [`${value}é`]],
    ['with a control character', [`${value}\u0000`]],
    ['with a tab', [`${value}\t`]],
  ]
  for (const [form, values] of forms) {
    test(`a request whose ${name} header is ${form} is INVALID_SIGNATURE, and nothing more is said`, () => {
      assert.deepEqual(answerTo({ [name]: values }), invalidSignature)
    })
  }
}

const wrong: [string, Partial<AuthHeaders>][] = [
  ['an unknown key', { apiKey: ['pck_nobody'] }],
  ['a key with a space at the end', { apiKey: [`${apiKey} `] }],
  ['an over-long key', { apiKey: ['x'.repeat(10_000)] }],
  ['a wrong secret', { signature: [sign('pcs_other', String(now), payload)] }],
  ['a signature in capitals', { signature: [signature.toUpperCase()] }],
  ['a malformed signature', { signature: ['abc'] }],
  ['a signature of another time', { timestamp: [String(now + 1)] }],
]
for (const [what, headers] of wrong) {
  test(`${what} is INVALID_SIGNATURE, with the same response as any other`, () => {
    assert.deepEqual(answerTo(headers), invalidSignature)
  })
}

test('a key that has expired looks like one that never was', () => {
  assert.deepEqual(answerTo({}, { keys: oneKey(now) }), invalidSignature)
  assert.equal(answerTo({}, { keys: oneKey(now + 1) }).ok, true)
})

test('an unknown key does not get in by signing with an empty or a guessed secret', () => {
  for (const guess of ['', '\0'.repeat(32), apiKey]) {
    const forged = sign(guess, String(now), payload)
    assert.deepEqual(answerTo({ apiKey: ['pck_nobody'], signature: [forged] }), invalidSignature)
  }
})

test('an unknown key is refused even if it is signed with the secret that it is checked against', () => {
  assert.deepEqual(answerTo({ apiKey: ['pck_nobody'] }), invalidSignature)
})

test('a request that leaves its timestamp away, and signs it so, is refused: it would be valid forever', () => {
  for (const timestamp of [[], ['']]) {
    assert.deepEqual(answerTo({ timestamp, signature: [sign(secret, '', payload)] }), invalidSignature)
  }
})

test('a missing header costs the same work as a wrong signature: the key is still looked up', () => {
  for (const headers of [{}, { signature: [] }, { timestamp: [] }, { apiKey: [] }]) {
    const keys = oneKey()
    answerTo(headers, { keys, body: 'other' })
    assert.equal(keys.asked.length, 1)
  }
})

test('the timestamp is checked before the signature: stale and wrong is TIMESTAMP_OUT_OF_RANGE', () => {
  const keys = oneKey()
  const answer = answerTo({ signature: ['wrong'], apiKey: ['pck_nobody'] }, { keys, at: now + 300_001 })
  const refusal = { code: 'TIMESTAMP_OUT_OF_RANGE', serverTime: now + 300_001, skewMs: -300_001 }
  assert.deepEqual(answer, { ok: false, refusal })
})

test("whose key came with a wrong timestamp is said to the journal, not to the caller; nobody's key costs the same work", () => {
  for (const [key, owner] of [[apiKey, acme] as const, ['pck_nobody', undefined] as const]) {
    const keys = oneKey()
    const owners: (Caller | undefined)[] = []
    const answer = authenticate({ ...signed, apiKey: [key] }, payload, {
      keys,
      now: now + 300_001,
      windowMs,
      onRefused: (of) => owners.push(of),
    })
    const refusal = { code: 'TIMESTAMP_OUT_OF_RANGE', serverTime: now + 300_001, skewMs: -300_001 }
    assert.deepEqual(answer, { ok: false, refusal })
    assert.deepEqual([owners, keys.asked], [[owner], [key]])
  }
})

test('a request signed in time, and only then, is accepted', () => {
  assert.equal(answerTo({}, { at: now + 300_000 }).ok, true)
  assert.equal(answerTo({}, { at: now - 300_000 }).ok, true)
  assert.equal(answerTo({}, { at: now + 300_001 }).ok, false)
})

test('the timestamp is signed as received: the same number written otherwise is refused', () => {
  for (const form of [`0${now}`, `${now}.0`, ` ${now}`])
    assert.equal(answerTo({ timestamp: [form] }).ok, false)
})

test('a request with any flipped bit in the body is refused', () => {
  fc.assert(
    fc.property(fc.nat({ max: payload.length * 8 - 1 }), (bit) => {
      const bent = Buffer.from(payload)
      bent[bit >> 3]! ^= 1 << (bit & 7)
      assert.deepEqual(authenticate(signed, bent, { keys: oneKey(), now, windowMs }), invalidSignature)
    }),
  )
})
