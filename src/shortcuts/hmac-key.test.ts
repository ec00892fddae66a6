import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { test } from 'node:test'
import fc from 'fast-check'
import { simpleHmac } from '../../test/support/simple-versions.ts'
import { HmacKey } from './hmac-key.ts'

test('an HMAC is the one that OpenSSL makes, for secrets shorter and longer than a block, again and again', () => {
  const secrets = fc.string({ unit: 'binary', maxLength: 130 })
  const parts = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 3 })
  fc.assert(
    fc.property(secrets, fc.array(parts, { minLength: 1, maxLength: 3 }), (secret, messages) => {
      const key = new HmacKey(secret)
      for (const message of messages) {
        assert.deepEqual(key.hmac(...message), simpleHmac(secret, ...message))
      }
    }),
  )
})

test('a secret of exactly a block, and one byte more or less', () => {
  for (const length of [0, 1, 63, 64, 65, 128]) {
    const secret = 's'.repeat(length)
    const expected = simpleHmac(secret, Buffer.from('message'))
    assert.deepEqual(new HmacKey(secret).hmac(Buffer.from('message')), expected, String(length))
  }
})

test('a message of any length, and a short one after it', () => {
  const key = new HmacKey('secret')
  for (const length of [100_000, 3, 200_000]) {
    const message = Buffer.alloc(length, 'm')
    assert.deepEqual(key.hmac(message), simpleHmac('secret', message))
  }
})

test('a key that is printed does not show its secret', () => {
  const secret = 'pcs_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LTEyMzQ'
  const shown =
    inspect(new HmacKey(secret), { showHidden: true, depth: 9 }) + JSON.stringify(new HmacKey(secret))
  assert.equal(shown, 'HmacKey {}{}')
})
