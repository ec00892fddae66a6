import { deepEqual, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { type DecimalMark, readWholeNumber } from '../src/reconcile/whole-number.ts'

describe('an amount is understood', () => {
  const understood: [cell: string, value: number][] = [
    ['5000', 5000],
    ['0', 0],
    ['007', 7],
    ['5000.00', 5000],
    ['5000,00', 5000],
    ['5000.0', 5000],
    ['5000.000', 5000],
    ['1,000.00', 1000],
    ['1.000,00', 1000],
    ['1,000,000', 1_000_000],
    ['1.000.000', 1_000_000],
    ['1.000.000,00', 1_000_000],
    ['1 000', 1000],
    ['1\u00a0000', 1000],
    ['1\u202f000\u202f000,00', 1_000_000],
    ["1'000", 1000],
    [' 5000 ', 5000],
    ['5000 ₫', 5000],
    ['5000đ', 5000],
    ['VND 1,000,000', 1_000_000],
    ['9007199254740991', 9007199254740991],
  ]
  for (const [cell, value] of understood) {
    test(JSON.stringify(cell), () => deepEqual(readWholeNumber(cell, null), { value }))
  }
})

describe('an amount that cannot be read in one way only is explained, never guessed', () => {
  const explained: [cell: string, mark: DecimalMark | null, problem: RegExp][] = [
    [
      '1,000',
      null,
      /^can be 1000 or 1: say which with --decimal-mark point \(1000\) or --decimal-mark comma \(1\)$/,
    ],
    [
      '1.000',
      null,
      /^can be 1000 or 1: say which with --decimal-mark comma \(1000\) or --decimal-mark point \(1\)$/,
    ],
    ['999.500', null, /^can be 999500 or 999: /],
    ['5000.50', null, /whole number, without a fraction/],
    ['0.500', null, /whole number, without a fraction/],
    ['1,000.5', '.', /without a fraction/],
    ['1.000,00', '.', /not a number whose decimal mark is a point/],
    ['1,000.00', ',', /not a number whose decimal mark is a comma/],
    ['1,00,000', null, /must be a whole number: .* in groups of three$/],
    ['12,34.00', null, /must be a whole number: .* in groups of three$/],
    ['1,000 000', null, /must be a whole number: .* in groups of three$/],
    ['-5000', null, /is negative: an award can only credit/],
    ['\u22125000 ₫', null, /is negative/],
    ['(5,000)', null, /is negative/],
    ['-$12.50', null, /is negative/],
    ['$5', null, /is in another currency: raw units are needed/],
    ['12.50 USD', null, /is in another currency/],
    ['5e3', null, /must be a whole number, in digits/],
    ['0x10', null, /must be a whole number, in digits/],
    ['5.', null, /must be a whole number/],
    ['9007199254740992', null, /too large/],
  ]
  for (const [cell, mark, problem] of explained) {
    test(JSON.stringify([cell, mark]), () => {
      const read = readWholeNumber(cell, mark)
      ok('problem' in read, JSON.stringify(read))
      match(read.problem, problem)
    })
  }
})

test('with the decimal mark, 1.000 and 1,000 are what they are in that country', () => {
  deepEqual(readWholeNumber('1.000', ','), { value: 1000 })
  deepEqual(readWholeNumber('1.000', '.'), { value: 1 })
  deepEqual(readWholeNumber('1,000', '.'), { value: 1000 })
  deepEqual(readWholeNumber('1,000', ','), { value: 1 })
})

test('what the formatter of a country writes is read back by its decimal mark, and never as another number without it', () => {
  const formats: [string, DecimalMark][] = [
    ['en-US', '.'],
    ['vi-VN', ','],
    ['de-DE', ','],
    ['fr-FR', ','],
    ['de-CH', '.'],
  ]
  const property = fc.property(
    fc.constantFrom(...formats),
    fc.maxSafeNat(),
    fc.integer({ min: 0, max: 4 }),
    fc.boolean(),
    ([country, mark], number, decimals, useGrouping) => {
      const value = number % 10 ** 12
      const text = value.toLocaleString(country, { minimumFractionDigits: decimals, useGrouping })
      deepEqual(readWholeNumber(text, mark), { value }, text)
      const unmarked = readWholeNumber(text, null)
      ok('problem' in unmarked || unmarked.value === value, text)
    },
  )
  fc.assert(property)
})
