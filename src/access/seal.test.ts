import assert from 'node:assert/strict'
import { createDecipheriv } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { seal, unseal } from './seal.ts'

const masterKey = Uint8Array.from({ length: 32 }, (_, index) => index)
const context = 'acme key_1'

test('what was sealed opens again, whatever the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, context) => {
      assert.equal(unseal(masterKey, seal(masterKey, text, context), context), text)
    }),
  )
})

test('a sealed text can be opened by any AES-256-GCM: version, 12 bytes of nonce, 16 of tag, the rest', () => {
  const sealed = seal(masterKey, 'a secret', context)
  assert.equal(sealed[0], 1)
  const decipher = createDecipheriv('aes-256-gcm', masterKey, sealed.subarray(1, 13))
  decipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(13, 29))
  assert.equal(decipher.update(sealed.subarray(29), undefined, 'utf8') + decipher.final('utf8'), 'a secret')
})

test('the same text is sealed differently every time, and never readable', () => {
  const sealed = Array.from({ length: 100 }, () => Buffer.from(seal(masterKey, 'a secret', context)))
  assert.equal(new Set(sealed.map((bytes) => bytes.subarray(1, 13).toString('hex'))).size, 100)
  for (const bytes of sealed) assert.equal(bytes.includes('secret'), false)
})

test('flip any single bit, and it does not open', () => {
  const sealed = seal(masterKey, 'a secret', context)
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const bent = Uint8Array.from(sealed)
    bent[bit >> 3]! ^= 1 << (bit & 7)
    assert.throws(() => unseal(masterKey, bent, context), `bit ${bit}`)
  }
})

test('cut at any length or lengthened, it does not open', () => {
  const sealed = seal(masterKey, 'a secret', context)
  for (let length = 0; length < sealed.length; length++) {
    assert.throws(() => unseal(masterKey, sealed.subarray(0, length), context), `length ${length}`)
  }
  assert.throws(() => unseal(masterKey, Buffer.concat([sealed, Uint8Array.of(0)]), context))
})

test('moved to another context, it does not open', () => {
  const sealed = seal(masterKey, 'a secret', context)
  for (const other of ['acme key_2', 'globex key_1', '', 'acme key_1 ']) {
    assert.throws(() => unseal(masterKey, sealed, other), other)
  }
})

test('under another master key it does not open', () => {
  const sealed = seal(masterKey, 'a secret', context)
  assert.throws(() =>
    unseal(
      masterKey.map((byte) => byte ^ 1),
      sealed,
      context,
    ),
  )
})

test('of another version it is not even tried, and the version is named', () => {
  const sealed = seal(masterKey, 'a secret', context)
  sealed[0] = 2
  assert.throws(() => unseal(masterKey, sealed, context), /unknown version 2/)
})
