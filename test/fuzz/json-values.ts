import { integerBelow, oneOf, type Random } from '../support/seeded-random.ts'
import { chance } from './fuzz-request.ts'

/**
 * Part of all personal data that is sent, so that any leak is found. It is not a plain word, because a plain word may be
 * a key, which a response may name.
 */
export const privateMark = 'leak!mark'

const awkwardCharacters = [
  '\\u0000',
  '\\u001f',
  '\\u007f',
  '\\u0085',
  '\\u200b',
  '\\u2028',
  '\\ufeff',
  '\\ufffe',
  '\\ud800',
  '\\udc00',
  '\\ud83d\\ude00',
  '\\ude00\\ud83d',
  '\\n',
  '\\t',
  '\\"',
  '\\\\',
  '\\/',
  '\\u0041',
  'é',
  'e\u0301',
  'ı',
  '\u212a',
  '\u202e',
  '😀',
  '\u{10ffff}',
  '𝒳',
  'ﷺ',
  '\x7f',
  '\u0085',
  "'; DROP TABLE entries; --",
  '<script>',
  '%00',
  '$(x)',
  '{{x}}',
  '\u0000',
  '\n',
  '\\x41',
  '\\u12',
  '\\',
]

/** The text of a JSON string: mostly well-formed, often at the edge of a length rule. */
export function awkwardString(random: Random): string {
  const length = oneOf(random, [0, 1, 1, 2, 3, 8, 63, 64, 65, 199, 200, 201, 254, 255, 499, 500, 501, 3000])
  const unit = oneOf(random, ['a', 'é', '😀', ' ', '.', '-'])
  const parts = Array.from({ length: 1 + integerBelow(random, 3) }, () => oneOf(random, awkwardCharacters))
  return chance(random, 0.6) ? `"${unit.repeat(length)}"` : `"${unit.repeat(length)}${parts.join('')}"`
}

const awkwardNumbers = [
  '0 -0 1 -1 0.0 -0.0 0e0 999 1000 1001 1999 5000.0 5e3 5E+3 5000e-0 50000e-1 0.5e4 1500.5 999.9999999999999999',
  '1000.0000000000000001 9999999 10000000 10000999 10001000 4294967296 9007199254740991 9007199254740992',
  '9007199254740993 9007199254740991.0 90071992547409910e-1 18446744073709551616 1e15 1e16 1e21 1e308 1e309 1e400',
  '-1e400 1e-400 5e-324 1e99999999999999999999 1e-99999999999999999999 1.7976931348623157e308 00 01 +1 .5 5. 1e 1e+',
  '0x10 1_000 NaN Infinity -Infinity 1.. 1.e3 --1 １０００ 1e1e1',
]
  .join(' ')
  .split(' ')

export function awkwardNumber(random: Random): string {
  const digits = (count: number) =>
    Array.from({ length: count }, () => integerBelow(random, 10)).join('') || '0'
  return random() < 0.6
    ? oneOf(random, awkwardNumbers)
    : `${oneOf(random, ['', '', '-'])}${1 + integerBelow(random, 9)}${digits(integerBelow(random, 20))}${oneOf(
        random,
        ['', '', `.${digits(1 + integerBelow(random, 20))}`, `e${integerBelow(random, 30)}`, 'E-3', '.000'],
      )}`
}

export function awkwardEmail(random: Random): string {
  const local = oneOf(random, [
    'a',
    'A.b',
    'a..b',
    '.a',
    'a.',
    'a b',
    '"a b"',
    'ü',
    'a'.repeat(64),
    'a'.repeat(65),
    '',
  ])
  const at = oneOf(random, ['@', '@', '@', '@', '', '@@', '＠'])
  const domains = [
    'example.com',
    'EXAMPLE.COM',
    'localhost',
    '[127.0.0.1]',
    'xn--bcher-kva.example',
    '-a.com',
  ]
  const domain = oneOf(random, [
    ...domains,
    'a-.com',
    'a..com',
    '.com',
    'exämple.com',
    `${'a'.repeat(63)}.com`,
    '',
  ])
  return JSON.stringify(`${local}${oneOf(random, ['', `+${privateMark}`])}${at}${domain}`)
}

/** Keys that have caused bugs in parsers. All are distinct, none is forbidden. */
const plainKeys = [
  'a',
  'b',
  'constructor',
  'toString',
  'hasOwnProperty',
  '',
  'amount',
  'é',
  '😀',
  '0',
  'length',
]

/** A JSON value of some depth that follows every rule of meta. */
function soundJson(random: Random, levels: number): string {
  const kind = levels === 0 ? integerBelow(random, 4) : integerBelow(random, 6)
  if (kind === 0)
    return oneOf(random, ['null', 'true', 'false', '1.10', '-0', '12345678901234567890', '1E400'])
  if (kind < 4)
    return JSON.stringify(`${privateMark} ${oneOf(random, ['', 'é', '😀', '\n', '"', '\\', '\0'])}`)
  const count = integerBelow(random, 4)
  if (kind === 4) return `[${Array.from({ length: count }, () => soundJson(random, levels - 1)).join(',')}]`
  return soundObject(random, levels)
}

export function soundObject(random: Random, levels: number): string {
  const first = integerBelow(random, plainKeys.length)
  const keys = Array.from(
    { length: integerBelow(random, 4) },
    (_, index) => plainKeys[(first + index) % plainKeys.length],
  )
  return `{${keys.map((key) => `${JSON.stringify(key)}:${soundJson(random, levels - 1)}`).join(',')}}`
}

/** Values at or beyond the limits of meta: deep, huge, wide, with questionable keys. */
export function awkwardMeta(random: Random): string {
  const levels = oneOf(random, [1, 30, 31, 32, 33, 34, 1000, 20_000])
  const bytes = oneOf(random, [0, 1, 100, 16_370, 16_371, 16_372, 16_373, 16_400, 40_000, 70_000])
  const key = oneOf(random, [
    '__proto__',
    '\\u005f_proto__',
    'constructor',
    'a b',
    `${privateMark}@example.com`,
    'x',
  ])
  const wide = (count: number) => Array.from({ length: count }, (_, index) => `"k${index % 1500}":${index}`)
  return oneOf(random, [
    () => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`,
    () => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`,
    () => `{"private":"${'a'.repeat(bytes)}"}`,
    () => `{"private":"${'é'.repeat(bytes / 2)}"}`,
    () => `{${' '.repeat(bytes)}}`,
    () => `{"${key}":{"${key}":1},"${key}":2}`,
    () => `{"${key}":${soundJson(random, 3)}}`,
    () => `{${wide(oneOf(random, [2, 60, 2000])).join(',')}}`,
    () =>
      oneOf(random, [
        '[]',
        '"x"',
        '5',
        'true',
        'null',
        '{}',
        '[{}]',
        '{"a"}',
        '{"a":}',
        '{,}',
        '{"a":1,}',
        '{a:1}',
      ]),
  ])()
}
