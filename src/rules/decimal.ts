/**
 * The exact value of a JSON number: (negative ? -1 : 1) × digits × 10^exponent. `digits` has no leading and no
 * trailing zeros, so two numbers are equal exactly when these three are. Zero is '' with exponent 0, and is never
 * negative.
 */
type Decimal = { negative: boolean; digits: string; exponent: bigint }

export function decimalOf(jsonNumber: string): Decimal {
  const [mantissa = '', exponent = '0'] = jsonNumber.toLowerCase().split('e')
  const negative = mantissa.startsWith('-')
  const [whole = '', fraction = ''] = mantissa.slice(negative ? 1 : 0).split('.')
  const significant = (whole + fraction).replace(/^0+/, '')
  const digits = withoutTrailingZeros(significant)
  if (digits === '') return { negative: false, digits, exponent: 0n }
  const zerosDropped = significant.length - digits.length
  return { negative, digits, exponent: BigInt(exponent) + BigInt(zerosDropped - fraction.length) }
}

/** A loop, because the pattern /0+$/ backtracks: a body full of zeros would take seconds. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length
  while (digits[end - 1] === '0') end--
  return digits.slice(0, end)
}

export function sameDecimal(a: Decimal, b: Decimal): boolean {
  return a.negative === b.negative && a.digits === b.digits && a.exponent === b.exponent
}

/** The usual form of an amount, short enough never to exceed 2^53 - 1. */
const plainInteger = /^[1-9][0-9]{0,14}$/

/** Of a body of 64 KiB, no other digits can make up for it. To read one of 60,000 digits takes milliseconds. */
const hugeExponent = /[eE][+-]?0*[1-9][0-9]{6,}$/

/** The exact integer value of a JSON number; null if it is a fraction or beyond ±(2^53 - 1). */
export function safeIntegerOf(jsonNumber: string): number | null {
  if (plainInteger.test(jsonNumber)) return Number(jsonNumber)
  if (hugeExponent.test(jsonNumber)) return /^-?[0.]+e/i.test(jsonNumber) ? 0 : null
  const { negative, digits, exponent } = decimalOf(jsonNumber)
  if (exponent < 0n || BigInt(digits.length) + exponent > 16n) return null
  const value = Number(`${negative ? '-' : ''}${digits || '0'}${'0'.repeat(Number(exponent))}`)
  return Number.isSafeInteger(value) ? value : null
}
