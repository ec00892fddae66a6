import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Field, simpleFieldDigest } from '../../test/support/simple-versions.ts'
import { bytesOf, byteTextOf, FieldDigest, textFields } from './field-digest.ts'

const digest = new FieldDigest()

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

test('texts that are written at once are those texts, whatever comes before and after them', () => {
  const texts = fc.array(fc.option(fc.string({ unit: 'binary' })))
  const large = fc.constant(['a', 'é'.repeat(5000)])
  fc.assert(
    fc.property(fc.string(), fc.oneof(texts, large), fc.string(), (before, together, after) => {
      digest.begin()
      digest.writeText(before)
      digest.writeFields(textFields(...together))
      digest.writeText(after)
      assert.equal(hexOf(digest.finish()), plainDigestOf([before, ...together, after]))
    }),
  )
})

test('fields that were left unfinished do not enter the next digest', () => {
  digest.begin()
  digest.writeText('left')
  assert.equal(digestOf(['next']), plainDigestOf(['next']))
})

test('a large digest that was left unfinished does not, either', () => {
  digest.begin()
  digest.writeText('left'.repeat(100_000))
  assert.equal(digestOf(['next']), plainDigestOf(['next']))
})

test('bytes in the place of a text are not taken for that text', () => {
  digest.begin()
  digest.writeText(new Uint8Array([0x41, 0x31]) as unknown as string)
  assert.notEqual(hexOf(digest.finish()), plainDigestOf(['A1']))
})

function digestOf(fields: Field[], asTexts = false): string {
  digest.begin()
  for (const field of fields) {
    if (typeof field === 'string') digest.writeText(field)
    else if (typeof field === 'number') digest.writeInteger(field)
    else digest.writeBytes(asTexts && field ? byteTextOf(field) : field)
  }
  return hexOf(digest.finish())
}

function hexOf(text: string): string {
  return Buffer.from(bytesOf(text)).toString('hex')
}

function plainDigestOf(fields: Field[]): string {
  return simpleFieldDigest(fields).toString('hex')
}
