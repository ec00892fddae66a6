import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decimalOf, safeIntegerOf, sameDecimal } from './decimal.ts'

const integers: [text: string, value: number | null][] = [
  ['0', 0],
  ['-0', 0],
  ['-0.0e5', 0],
  ['1', 1],
  ['-17', -17],
  ['5000.0', 5000],
  ['5e3', 5000],
  ['5E+3', 5000],
  ['50000e-1', 5000],
  ['0.005e6', 5000],
  ['1e007', 10_000_000],
  ['9007199254740991', 9_007_199_254_740_991],
  ['-9007199254740991', -9_007_199_254_740_991],
  ['9007199254740991.000', 9_007_199_254_740_991],
  ['9.007199254740991e15', 9_007_199_254_740_991],
  ['9007199254740992', null],
  ['9007199254740993', null],
  ['10000000000000000', null],
  ['1500.5', null],
  ['1000.0000000000000001', null],
  ['9007199254740990.9999', null],
  ['1e-1', null],
  ['1e400', null],
  ['-1e400', null],
  [`1e${'9'.repeat(1000)}`, null],
  [`0e${'9'.repeat(1000)}`, 0],
  [`-0.00E+${'9'.repeat(60_000)}`, 0],
  [`0.01e${'9'.repeat(60_000)}`, null],
  [`1e-${'9'.repeat(1000)}`, null],
  [`1e${'0'.repeat(1000)}3`, 1000],
]
for (const [text, value] of integers) {
  const name = text.length > 30 ? `${text.slice(0, 8)}…` : text
  test(`${name} is ${value === null ? 'not a safe integer' : `the integer ${value}`}`, () => {
    assert.equal(safeIntegerOf(text), value)
  })
}

// An independent oracle: the number as an integer times a power of ten, in BigInt.
const digits = fc.stringMatching(/^[0-9]{1,20}$/)
const numbers = fc
  .record({
    sign: fc.constantFrom('', '-'),
    whole: fc.oneof(
      fc.bigInt({ min: 0n, max: 2n ** 56n }).map(String),
      fc.constantFrom('0', '5000', '1000000'),
    ),
    fraction: fc.option(fc.oneof(digits, fc.constantFrom('0', '000', '5'))),
    exponent: fc.option(fc.integer({ min: -22, max: 22 })),
  })
  .map(({ sign, whole, fraction, exponent }) => ({
    text: `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${exponent === null ? '' : `e${exponent}`}`,
    coefficient: BigInt(whole + (fraction ?? '')) * (sign === '-' ? -1n : 1n),
    power: BigInt((exponent ?? 0) - (fraction ?? '').length),
  }))

test('a safe integer is read exactly as BigInt arithmetic has it, and nothing else is read', () => {
  fc.assert(
    fc.property(numbers, ({ text, coefficient, power }) => {
      const scale = 10n ** (power < 0n ? -power : power)
      const whole = power >= 0n || coefficient % scale === 0n
      const value = power >= 0n ? coefficient * scale : coefficient / scale
      const safe = whole && value >= -(2n ** 53n - 1n) && value <= 2n ** 53n - 1n
      assert.equal(safeIntegerOf(text), safe ? Number(value) : null)
    }),
    { numRuns: 1000 },
  )
})

test('two spellings are the same decimal exactly when their values are equal', () => {
  const pairs = fc.oneof(
    fc.tuple(numbers, numbers),
    fc.tuple(numbers, fc.nat(30)).map(([number, zeros]) => [number, rewritten(number, zeros)] as const),
  )
  fc.assert(
    fc.property(pairs, ([a, b]) => {
      const equal = a.coefficient * 10n ** (a.power + 50n) === b.coefficient * 10n ** (b.power + 50n)
      assert.equal(sameDecimal(decimalOf(a.text), decimalOf(b.text)), equal)
    }),
    { numRuns: 1000 },
  )
  function rewritten({ coefficient, power }: { coefficient: bigint; power: bigint }, zeros: number) {
    const text = `${coefficient}${'0'.repeat(zeros)}E${power - BigInt(zeros)}`
    return { text, coefficient, power }
  }
})

test('the sign counts, except for zero', () => {
  assert.equal(sameDecimal(decimalOf('-1'), decimalOf('1')), false)
  assert.equal(sameDecimal(decimalOf('-0'), decimalOf('0.00')), true)
})

test('digits between many zeros cost no more than other digits, so that one body cannot stop the service', () => {
  const zeros = timeOf(`1${'0'.repeat(60_000)}1`)
  const nines = timeOf(`1${'9'.repeat(60_000)}1`)
  assert.ok(
    zeros < 200 * nines,
    `${zeros} ms against ${nines} ms: trying every zero would take thousands of times as long`,
  )

  function timeOf(digits: string): number {
    const started = performance.now()
    assert.equal(safeIntegerOf(digits), null)
    return performance.now() - started
  }
})
