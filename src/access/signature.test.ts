import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { signatureVectors } from '../../test/support/vectors.ts'
import { HmacKey } from '../shortcuts/hmac-key.ts'
import { sign, signatureMatches } from './signature.ts'

const secret = 'pcs_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LTEyMzQ'
const secretKey = new HmacKey(secret)
const timestamp = '1700000000000'

/**
 * Made with OpenSSL, not with our code: printf '%s.%s' TIMESTAMP PAYLOAD | openssl dgst -sha256 -hmac SECRET
 */
const vectors = [
  {
    of: 'an award',
    payload: '{"tenantId":"t1","orderId":"A1","userEmail":"lan@example.vn","amount":5000}',
    signature: '7bcab844a1fa8cc3bb5037aa86b450cdde5b0362a7118fba654654981dcfa495',
  },
  {
    of: 'a history request',
    payload: 't1',
    signature: 'c936efd7766c8bfbdd9a5a24b3483799c1065352b984032010ee7fe8db360636',
  },
  {
    of: 'nothing',
    payload: '',
    signature: 'c68de00dd803fad1b66ee92947a373f59cae1c27fc8b6571fe4de0151ccd9c33',
  },
  {
    of: 'text beyond ASCII',
    payload: '{"note":"cà phê ☕"}',
    signature: '33f1b12d61d369e3c0ab6b51e67cfb5d8c82fcd7c17cf99e1be0fe7a7e375a2d',
  },
  {
    of: 'bytes that are not UTF-8',
    payload: Uint8Array.of(0xff, 0xfe, 0x00, 0x80),
    signature: '63cef4b013b2dd8121f4c9d7948b5ed7927eb5167d880a929a9e6449d02fbda1',
  },
]

for (const { of, payload, signature } of vectors) {
  test(`the signature of ${of} is the one that OpenSSL makes`, () => {
    assert.equal(sign(secret, timestamp, payload), signature)
    assert.equal(signatureMatches(secretKey, { timestamp, payload, signature }), true)
  })
}

for (const { name, endpoint, signingSecret, timestamp, bytes, payload, ...expected } of signatureVectors) {
  test(`the contract's signature of ${endpoint === 'award' ? 'an award' : 'a history request'}: ${name}`, () => {
    assert.deepEqual([bytes.length, hash('sha256', bytes)], [expected.payloadBytes, expected.payloadSha256])
    assert.equal(sign(signingSecret, timestamp, bytes), expected.signature)
    if (payload === undefined) return
    assert.equal(
      sign(signingSecret, timestamp, payload.repeat(expected.times)),
      expected.signature,
      'as text',
    )
  })
}

const [award] = vectors as [(typeof vectors)[number] & { payload: string }]

test('a signature holds for the received bytes only, not for the same JSON written otherwise', () => {
  const { payload, signature } = award
  const rewritten = [`${payload} `, payload.replaceAll(',', ', '), payload.replace('5000', '5000.0')]
  for (const other of rewritten) {
    assert.equal(signatureMatches(secretKey, { timestamp, payload: other, signature }), false, other)
  }
})

test('a signature holds for one timestamp, written one way', () => {
  const { payload, signature } = award
  for (const other of ['1700000000001', '01700000000000', '1700000000000.0', '']) {
    assert.equal(signatureMatches(secretKey, { timestamp: other, payload, signature }), false, other)
  }
})

test('another secret makes another signature', () => {
  const other = new HmacKey(`${secret}x`)
  assert.equal(signatureMatches(other, { timestamp, ...award }), false)
})

test('a signature in any other form than 64 lowercase hex digits does not match', () => {
  const { payload, signature } = award
  const forms = [
    '',
    signature.toUpperCase(),
    signature.slice(0, 63),
    signature.slice(0, 62),
    `${signature}0`,
    `${signature}00`,
    `sha256=${signature}`,
    ` ${signature}`,
    `${signature} `,
    `${signature}\n`,
    Buffer.from(signature, 'hex').toString('base64'),
    // A lenient decoder stops at the first foreign character and would compare a shorter one.
    `${signature.slice(0, 62)}zz`,
    signature.replace(/./, 'g'),
  ]
  for (const form of forms) {
    assert.equal(signatureMatches(secretKey, { timestamp, payload, signature: form }), false, form)
  }
})

test('flip any bit of the body or of the signature, and it no longer matches', () => {
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 200 })
  fc.assert(
    fc.property(bytes, fc.nat(), fc.nat({ max: 255 }), (payload, at, bit) => {
      const signature = sign(secret, timestamp, payload)
      assert.equal(signatureMatches(secretKey, { timestamp, payload, signature }), true)
      const bent = flipped(payload, at % (payload.length * 8))
      assert.equal(signatureMatches(secretKey, { timestamp, payload: bent, signature }), false)
      const forged = Buffer.from(flipped(Buffer.from(signature, 'hex'), bit)).toString('hex')
      assert.equal(signatureMatches(secretKey, { timestamp, payload, signature: forged }), false)
    }),
  )
})

function flipped(bytes: Uint8Array, bit: number): Uint8Array {
  const copy = Uint8Array.from(bytes)
  copy[bit >> 3]! ^= 1 << (bit & 7)
  return copy
}
