import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { apiKeyHash, createCredentials, openSecret } from './credentials.ts'
import { seal } from './seal.ts'

const masterKey = Uint8Array.from({ length: 32 }, (_, index) => index)

test('a secret carries 32 random bytes, an API key 18, and no two are alike', () => {
  const made = Array.from({ length: 100 }, () => createCredentials('acme', masterKey))
  for (const { credentials, sealed } of made) {
    assert.match(credentials.apiKey, /^pck_[\w-]{24}$/)
    assert.match(credentials.signingSecret, /^pcs_[\w-]{43}$/)
    assert.equal(Buffer.from(credentials.signingSecret.slice(4), 'base64url').length, 32)
    assert.match(sealed.keyId, /^key_[0-9a-f]{16}$/)
  }
  assert.equal(new Set(made.map(({ credentials }) => credentials.apiKey)).size, 100)
  assert.equal(new Set(made.map(({ credentials }) => credentials.signingSecret)).size, 100)
  assert.equal(new Set(made.map(({ sealed }) => sealed.keyId)).size, 100)
})

test('what is kept of a key gives the secret back under the master key, and nothing without it', () => {
  const { credentials, sealed } = createCredentials('acme', masterKey)
  assert.equal(openSecret('acme', sealed, masterKey), credentials.signingSecret)
  assert.throws(() =>
    openSecret(
      'acme',
      sealed,
      masterKey.map((byte) => byte ^ 1),
    ),
  )
  const kept = JSON.stringify({
    ...sealed,
    sealedSecret: Buffer.from(sealed.sealedSecret).toString('latin1'),
  })
  assert.equal(kept.includes(credentials.apiKey), false)
  assert.equal(kept.includes(credentials.signingSecret.slice(4)), false)
})

test("a sealed secret does not open as another partner's or as another key's", () => {
  const { sealed } = createCredentials('acme', masterKey)
  assert.throws(() => openSecret('globex', sealed, masterKey))
  assert.throws(() => openSecret('acme', { ...sealed, keyId: 'key_0000000000000000' }, masterKey))
})

test('ids with a space, which only SQL can write, neither seal nor open: they could read as another partner’s', () => {
  const sealed = { apiKeyHash: '', sealedSecret: seal(masterKey, 'a secret', 'acme eu key_1') }
  assert.throws(() => openSecret('acme', { ...sealed, keyId: 'eu key_1' }, masterKey), /space/)
  assert.throws(() => openSecret('acme eu', { ...sealed, keyId: 'key_1' }, masterKey), /space/)
  assert.throws(() => createCredentials('acme eu', masterKey), /space/)
})

test('an API key is kept as its SHA-256', () => {
  const { credentials, sealed } = createCredentials('acme', masterKey)
  const sha256 = createHash('sha256').update(credentials.apiKey).digest('hex')
  assert.equal(sealed.apiKeyHash, sha256)
  assert.equal(apiKeyHash(credentials.apiKey), sha256)
})

test('the hash of "abc" is the one of the standard (FIPS 180-2)', () => {
  assert.equal(apiKeyHash('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})
