import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { bytesOf, byteTextOf, fieldDigest } from './field-digest.ts'

type Field = string | number | Uint8Array | null

test('any fields are written as a plain reading of the format writes them', () => {
  const field = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.maxSafeInteger(),
    fc.integer({ min: 999_999_990, max: 1_000_000_010 }),
    fc.nat(20),
    fc.uint8Array(),
    fc.constant(null),
  )
  fc.assert(
    fc.property(fc.array(field), fc.boolean(), (fields, asTexts) =>
      assert.equal(digestOf(fields, asTexts), plainDigestOf(fields)),
    ),
  )
})

for (const [what, fields] of [
  ['the largest integer', [Number.MAX_SAFE_INTEGER]],
  ['every power of ten', Array.from({ length: 16 }, (_, power) => 10 ** power)],
  ['a negative integer and a fraction, which only a forger has', [-1, 1.5]],
  [
    'a text that the buffer cannot hold, with what comes before and after it',
    ['a', 'é'.repeat(100_000), 'b'],
  ],
  ['bytes that the buffer cannot hold', ['a', new Uint8Array(1_000_000).fill(7), 'b']],
  ['more nulls than the buffer holds', Array.from({ length: 500_000 }, () => null)],
  ['more texts than the buffer holds', Array.from({ length: 1000 }, (_, number) => `text ${number}`)],
  ['bytes of every value', [Uint8Array.from({ length: 256 }, (_, byte) => byte)]],
] as [string, Field[]][]) {
  test(`so is ${what}`, () => {
    assert.equal(digestOf(fields), plainDigestOf(fields))
    assert.equal(digestOf(fields, true), plainDigestOf(fields))
  })
}

test('fields that were left unfinished do not enter the next digest', () => {
  fieldDigest.begin()
  fieldDigest.writeText('left')
  assert.equal(digestOf(['next']), plainDigestOf(['next']))
})

test('a large digest that was left unfinished does not, either', () => {
  fieldDigest.begin()
  fieldDigest.writeText('left'.repeat(100_000))
  assert.equal(digestOf(['next']), plainDigestOf(['next']))
})

test('bytes in the place of a text are not taken for that text', () => {
  fieldDigest.begin()
  fieldDigest.writeText(new Uint8Array([0x41, 0x31]) as unknown as string)
  assert.notEqual(hexOf(fieldDigest.finish()), plainDigestOf(['A1']))
})

function digestOf(fields: Field[], asTexts = false): string {
  fieldDigest.begin()
  for (const field of fields) {
    if (typeof field === 'string') fieldDigest.writeText(field)
    else if (typeof field === 'number') fieldDigest.writeInteger(field)
    else fieldDigest.writeBytes(asTexts && field ? byteTextOf(field) : field)
  }
  return hexOf(fieldDigest.finish())
}

function hexOf(digest: string): string {
  return Buffer.from(bytesOf(digest)).toString('hex')
}

function plainDigestOf(fields: Field[]): string {
  const hash = createHash('sha256').update(Uint8Array.of(1))
  for (const field of fields) {
    const bytes = field instanceof Uint8Array ? field : Buffer.from(String(field ?? ''))
    const header = Buffer.alloc(5)
    header.writeUInt8(field === null ? 0 : 1)
    header.writeUInt32BE(bytes.length, 1)
    hash.update(header).update(bytes)
  }
  return hash.digest('hex')
}
