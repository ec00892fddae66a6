import { equal, notEqual, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { integerBelow, seededRandom } from '../../test/support/seeded-random.ts'
import {
  isPlainlySpelled,
  likeness,
  mayBeRounded,
  shortenedForms,
  shortenedNumber,
} from '../src/reconcile/spelling.ts'

describe('an orderId in another spelling is recognized', () => {
  const spellings: [string, string][] = [
    ['white space around it', ' R-00490\t'],
    ['a no-break space', 'R-00490\u00a0'],
    ['a byte order mark', '\ufeffR-00490'],
    ['a zero-width space', 'R-\u200b00490'],
    ['another case', 'r-00490'],
    ['full-width letters and digits', 'Ｒ-００４９０'],
    ['no leading zeros', 'R-490'],
    ['more leading zeros', 'R-000490'],
    ['another dash', 'R–00490'],
    ["a spreadsheet's apostrophe", "'R-00490"],
    ["a spreadsheet's text", '="R-00490"'],
    ['quotes', '"R-00490"'],
    ['the decimals of a number, in front of which somebody has put letters', 'R-00490.0'],
    ["a word processor's apostrophe", '’R-00490'],
    ['the signs of a list behind it', 'R-00490,'],
    ['half of its quotes', '"R-00490'],
    ['an equals sign', '=R-00490'],
    ['brackets', '[R-00490]'],
    ['other signs in it', 'R_#00490;'],
    ['no signs in it', 'R00490'],
    ['digits of another language', 'R-٠٠٤٩٠'],
  ]
  for (const [what, spelling] of spellings) {
    test(what, () => equal(likeness(spelling), likeness('R-00490')))
  }
  test('a number with decimals that say nothing', () => {
    for (const spelling of ['490.0', '490,00', '490.']) equal(likeness(spelling), likeness('00490'), spelling)
  })
  test('a number whose decimals a spreadsheet wrote in its own way', () => {
    for (const spelling of ['1001.1', '1001,1', '01001.100', '+1001.10']) {
      equal(likeness(spelling), likeness('1001.10'), spelling)
    }
    for (const spelling of ['0.5', '0,50', '.500']) equal(likeness(spelling), likeness('.5'), spelling)
    for (const other of ['1001', '10011', '1001.1.0', 'R-1001.1', '.1']) {
      notEqual(likeness(other), likeness('1001.10'), other)
    }
  })
  test('letters of another alphabet that look alike', () => {
    for (const spelling of ['АВС-1', 'авс-1', 'ΑΒC-1']) equal(likeness(spelling), likeness('ABC-1'), spelling)
  })
  test('letters that were typed for digits of a number, not those of a word', () => {
    for (const spelling of ['R-OO490', 'R-0049O', 'r_oo49o'])
      equal(likeness(spelling), likeness('R-00490'), spelling)
    equal(likeness('R-OO4gl'), likeness('R-OO4GL'))
    equal(likeness('I0l-7'), likeness('101-7'))
    for (const other of ['RO-490', 'ROO490', 'OIL-490']) notEqual(likeness(other), likeness('R-490'), other)
    notEqual(likeness('OIL-1'), likeness('011-1'))
  })
  test('the sign between two numbers, but not its place', () => {
    equal(likeness('2026/1/11'), likeness('2026-1-11'))
    for (const other of ['2026-11-1', '2026111']) notEqual(likeness(other), likeness('2026-1-11'), other)
  })
  test('an orderId of signs only is alike to itself only', () => notEqual(likeness('***'), likeness('###')))
  test('a number without its plus', () => equal(likeness('84123'), likeness('+84123')))
  test('letters without their accents', () => equal(likeness('Don-5'), likeness('Đơn-5')))
  test('a number with signs between its thousands', () => {
    for (const spelling of ['1,234,567', '1.234.567', "1'234'567", '1.234.567,00', '1,234,567.0']) {
      equal(likeness(spelling), likeness('1234567'), spelling)
    }
    equal(likeness('490.123'), likeness('490123'))
    for (const other of ['1,234.567', '12,34', '1,2345', '1234,567']) {
      notEqual(likeness(other), likeness('1234567'), other)
    }
  })
  for (const other of ['R-00491', 'R-0049', 'S-00490', 'R-00490-1', 'R-4900', 'R-004-90']) {
    test(`but ${other} is another order`, () => notEqual(likeness(other), likeness('R-00490')))
  }
})

test('all spellings of a number are compared in one group, however many digits it has', () => {
  for (const orderId of [
    '490',
    '123456789012345',
    '1234567890123450',
    '123456789012345000',
    '1234567890123456',
  ]) {
    const grouped = BigInt(orderId).toLocaleString('en-US')
    const numbers = [`0${orderId}`, `${orderId}.0`, `${orderId},0`, grouped, `${grouped}.00`]
    for (const spelling of [...numbers, ` ${orderId}`, `'${orderId}`, `="${orderId}"`]) {
      equal(likeness(spelling), likeness(orderId), spelling)
    }
  }
})

test('plainly spelled is what a shop writes: letters, digits, and single signs between them', () => {
  for (const orderId of ['R-00490', '#1001', 'Đơn hàng 5', 'a_b/c.d:e', "O'Neil&Co-6", '1', '2026.0001']) {
    ok(isPlainlySpelled(orderId), orderId)
  }
  const odd = [
    'R-1,',
    'R-1;',
    '[R-1]',
    '=R-1',
    '"R-1',
    'R-1-',
    '-R-1',
    'R|1',
    'Н-1',
    'Ü-1',
    '\u212a-1',
    'A~1',
    '',
  ]
  for (const orderId of odd) ok(!isPlainlySpelled(orderId), orderId)
})

test('a number that a program may have rounded is one that it would write like this again', () => {
  for (const orderId of ['9007199254740993', '12345678901234567', '1234567890123456789']) {
    ok(!mayBeRounded(orderId), orderId)
    for (const rounded of [String(Number(orderId)), String(BigInt(Number(orderId))), `${Number(orderId)}.0`])
      ok(mayBeRounded(rounded), rounded)
  }
  // Java writes a digit or two more than JavaScript.
  for (const rounded of ['1234567890123456770', '5887950605838186500', '5887950605838186000'])
    ok(mayBeRounded(rounded), rounded)
  for (const orderId of [
    '1234567890123456780',
    '9007199254740991',
    '490',
    'R-12345678901234568',
    '',
    '9'.repeat(400),
  ]) {
    ok(!mayBeRounded(orderId), orderId)
  }
})

describe("a spreadsheet's short form of a number is recognized", () => {
  const short: [string, string][] = [
    ['1.23457E+11', '123456789012'],
    ['1,23457E+11', '123456789012'],
    ['1.23E+11', '123456789012'],
    ['1E+12', '999999999999'],
    ['1.00E+12', '999999999999'],
    ['4.5e15', '4500000000000000'],
    ['1234567890123450', '1234567890123456'],
    ['12345678901234500000', '12345678901234567890'],
    ['1.23457E+11', '000123456789012'],
    ['123.457E+09', '123456789012'],
    ['12E3', '12000'],
    ['012E3', '12000'],
    ['120E+02', '12000'],
  ]
  for (const [form, orderId] of short) {
    test(`${form} may be ${orderId}`, () => ok(shortenedForms(orderId).has(shortenedNumber(form)!)))
  }
  for (const form of ['123456789012', '12EF4', 'R-1E5', '1.23457E-5', '1.2345E+2', '', '0E+3']) {
    test(`${JSON.stringify(form)} is not a short form`, () => equal(shortenedNumber(form), null))
  }
  for (const orderId of ['R-123456789012', '12.5', '', '0']) {
    test(`${JSON.stringify(orderId)} has none`, () => equal(shortenedForms(orderId).size, 0))
  }
  test('whatever its digits, as JavaScript itself rounds', (t) => {
    const random = seededRandom(t)
    for (let round = 0; round < 500; round++) {
      const number = integerBelow(random, 10 ** (2 + integerBelow(random, 12))) + 10
      const form = number.toExponential(integerBelow(random, String(number).length - 1))
      ok(shortenedForms(String(number)).has(shortenedNumber(form.toUpperCase())!), `${form} of ${number}`)
    }
  })
})
