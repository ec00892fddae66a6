/**
 * Spreadsheets, exports and people change how an orderId is written; to the service every spelling is another order.
 * These functions tell which spellings may mean one order. They never say that two orders are the same.
 */

/**
 * What stays the same when only the spelling of an orderId changes: its letters and digits, without case, accents and
 * leading zeros, look-alike letters, the digits of other languages as ours, and O, I and l in a number as 0 and 1. A sign
 * counts between two digits only, whatever sign it is: 1-11 and 11-1 are two orders, 1/2 and 1-2 are one date. Numbers
 * come first, as spreadsheets change their signs, too: zeros at the end of decimals, thousands, a currency, a percent sign.
 */
export function likeness(orderId: string): string {
  const skeleton = skeletonOf(orderId)
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/(?<!\d)-|-(?!\d)/g, '')
    .replace(/(?<!\d)0+(?=\d)/g, '')
    .replace(/[^\da-z]/gu, (letter) => lookAlikes.get(letter) ?? letter)
  return skeleton === '' ? orderId : skeleton
}

/** As if an export had taken every sign away: it makes 20260001 of 2026-0001, and a UUID is often written without its signs. */
export function withoutSigns(orderId: string): string {
  return skeletonOf(orderId)
    .replace(/[^\p{L}\p{N}]+/gu, '')
    .replace(/^0+/, '')
}

/**
 * The number at the end of an orderId, of three digits or more, and what is in front of it. There any digit is as good as
 * another: 1001-2026 and 1002-2026 are two orders of a shop that writes the year last, but WEB-1003 and SO-1003, or
 * 20261118-1006 and 181126-1006, may be one. Null where there is none, also where the number is a part of a code, as in 7f3c9123.
 */
export function endNumber(orderId: string): { number: string; front: string } | null {
  const skeleton = skeletonOf(orderId)
  const digits = /(?<=(?:^|[^\p{L}\p{N}])\p{L}*)\d{3,}$/u.exec(skeleton)?.[0]
  if (digits === undefined) return null
  const front = skeleton.slice(0, -digits.length).replace(/\d/g, '0')
  return { number: digits.replace(/^0+/, ''), front }
}

/** What orderIds have in common that have the same likeness, or are the same without their signs. */
export function partKey(orderId: string): string {
  return likeness(orderId).replace(/[-0]/g, '')
}

function skeletonOf(orderId: string): string {
  return plain(orderId)
    .replace(/^(\d+)(?:[.,](\d+))?%$/, (_, whole, decimals = '') => hundredth(whole) + decimals)
    .replace(/^(\d*)[.,](\d*?)0*$/, (_, whole, decimals) =>
      decimals === '' ? whole : `${whole || '0'}.${decimals}`,
    )
    .replace(/(?<=\p{L}.*\d)[.,]0+$/u, '')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/(?<![\p{L}\p{N}])[oil\d]*\d[oil\d]*(?![\p{L}\p{N}])/gu, asDigits)
}

/**
 * A number that a spreadsheet shortened, as its leading digits and their power of ten; null where it is none. Excel
 * shows 123456789012 as 1.23457E+11, or as 123.457E+09, and keeps 15 digits of a longer one: 1234567890123456 becomes
 * 1234567890123450. An orderId such as 12E3 may be no number at all, but a spreadsheet reads 12000 in it.
 */
export function shortenedNumber(orderId: string): string | null {
  const text = plain(orderId)
  const [, whole, decimals = '', exponent] = /^0*([1-9]\d*)(?:[.,](\d+))?e\+?(\d{1,3})$/.exec(text) ?? []
  if (whole !== undefined && Number(exponent) >= decimals.length) {
    return leadingDigits(whole + decimals, whole.length - 1 + Number(exponent))
  }
  const cutOff = /^0*([1-9]\d{14}0+)(?:[.,]0+)?$/.exec(text)?.[1]
  return cutOff === undefined ? null : leadingDigits(cutOff, cutOff.length - 1)
}

/**
 * Programs that calculate with an orderId keep 53 bits of it: 12345678901234567 becomes 12345678901234568. Of longer ones
 * they write so many digits as they find worth it, and zeros: 1234567890123456789 becomes 1234567890123456800 in JavaScript,
 * 1234567890123456770 in Java. Of the longest numbers, few are rounded already.
 */
export function mayBeRounded(orderId: string): boolean {
  const digits = /^0*([1-9]\d{15,})(?:[.,]0+)?$/.exec(plain(orderId))?.[1]
  const value = Number(digits)
  if (digits === undefined || Number.isSafeInteger(value) || value === Number.POSITIVE_INFINITY) return false
  return digits === String(BigInt(value)) || digitsWritten.some((count) => digits === written(value, count))
}

const digitsWritten = [15, 16, 17, 18]

function written(value: number, digitCount: number): string {
  const [digits, exponent] = value.toExponential(digitCount - 1).split('e')
  return digits!.replace('.', '').padEnd(Number(exponent) + 1, '0')
}

/** A number that is written with a power of ten, unlike one that ends in zeros. */
export function isScientific(orderId: string): boolean {
  return shortenedNumber(orderId) !== null && /[eE]/.test(orderId.normalize('NFKC'))
}

/** In the form in which spreadsheets show long numbers. 12E3 may be a whole orderId. */
export function hasLostDigits(orderId: string): boolean {
  return isScientific(orderId) && !/^\d{2,}e/.test(plain(orderId))
}

/**
 * As a shop writes it: letters of Vietnamese and digits, with ordinary signs between them or a # in front, and not a number
 * as a spreadsheet shows it. Anything else may have come from a spreadsheet, a wrong encoding, a web page or a text: to
 * name all that such programs do would never end.
 */
export function isPlainlySpelled(orderId: string): boolean {
  const text = orderId.replaceAll(' ', '')
  return ordinary.test(orderId) && !currency.test(text) && !grouped.test(text) && !/^\d+\.0+$/.test(text)
}

// Without the u flag: with it, i would let the sign of the unit kelvin pass for a k.
const ordinary = /^#?(?=[^-_./:#+@&' ])[-_./:#+@&' \da-zàáâãèéêìíòóôõùúýăđĩũơưạ-ỹ]*(?<![-_./:#+@&' ])$/i

const month = [
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?',
  'sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|thg ?\\d{1,2}',
].join('|')

/**
 * Dates, times and errors. Excel in Vietnamese writes Thg1 for Jan, and SA for AM. A date with a time is also the number of
 * its days since 1900: 45678.5.
 */
const spreadsheetValues = [
  new RegExp(`^\\d{1,2}[- ](?:${month})(?:[- ,]+\\d{2,4})?$`, 'i'),
  new RegExp(`^(?:${month})[- ]\\d{1,2}(?:[- ,]+\\d{2,4})?$`, 'i'),
  /^\d{4}([-/.])\d{1,2}\1\d{1,2}(?:[ T]\d.*)?$/i,
  /^[3-7]\d{4}[.,]\d+$/,
  /^\d{1,2}([-/.])\d{1,2}\1(?:\d{2}|\d{4})(?: \d.*)?$/,
  /^\d{1,4}:\d\d(?::\d\d)?(?:[.,]\d+)?(?: ?(?:[ap]m|sa|ch))?$/i,
  /^#(?:#+|N\/A|(?:REF|VALUE|NUM|DIV\/0|NULL|SPILL|CALC)!|NAME\?)$/i,
]

/** A spreadsheet shows 1-2 as 2-Jan, =A1 as #NAME?, and what is too wide for its column as ####. */
export function isSpreadsheetValue(orderId: string): boolean {
  return spreadsheetValues.some((form) => form.test(orderId.trim()))
}

/** Every form in which a spreadsheet may shorten this orderId. */
export function shortenedForms(orderId: string): Set<string> {
  const digits = /^0*([1-9]\d*)(?:[.,]0+)?$/.exec(plain(orderId))?.[1]
  if (digits === undefined) return new Set()
  const forms = new Set<string>()
  for (let kept = 1; kept < Math.min(digits.length, digitsKept + 1); kept++) forms.add(rounded(digits, kept))
  if (digits.length > digitsKept) {
    forms.add(leadingDigits(digits.slice(0, digitsKept), digits.length - 1))
  }
  return forms
}

/** Of a number; a spreadsheet writes zeros for the others. */
const digitsKept = 15

/** A whole number with a sign between its thousands, as in 1.234.567 or 1,234,567.00. */
const grouped = /^[1-9]\d{0,2}(?:([.,'’])\d{3})(?:\1\d{3})*(?:[.,]0+)?$/

/** In front of a number, or behind it; other currencies are signs. */
const currency = /^vn[dđ](?=[\d.,]+$)|(?<=^[\d.,]+)(?:đ|vn[dđ])$/i

/** Cyrillic and Greek letters by the Latin ones that their capitals look like, and letters that NFD leaves whole. */
const lookAlikes = new Map(
  Array.from('авекмнорстухіјѕαβεζηικμνορτυχđðı', (letter, index) => [
    letter,
    'abekmhopctyxijsabezhikmnoptyxddi'[index]!,
  ]),
)

/** Somebody typed letters for the digits of a number: OO49l for 00491. In lowercase. */
export function asDigits(number: string): string {
  return number.replaceAll('o', '0').replace(/[il]/g, '1')
}

/** Without what may stand around it; a mark in front and a percent sign belong to a number. */
function plain(orderId: string): string {
  return orderId
    .normalize('NFKC')
    .replace(/[\s\p{Cc}\p{Cf}]/gu, '')
    .replace(/(?!\d)\p{Nd}/gu, ourDigit)
    .replace(/^[^\p{L}\p{N}.,]+|[^\p{L}\p{N}%]+$/gu, '')
    .replace(currency, '')
    .replace(grouped, (number) => number.replace(/[.,'’](?=\d{3}(?!\d))/g, ''))
    .toLowerCase()
}

/** Unicode has the ten digits of a language one after the other. */
function ourDigit(digit: string): string {
  const code = digit.codePointAt(0)!
  let zero = code
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--
  return String((code - zero) % 10)
}

/** As a number with two more decimals. */
function hundredth(whole: string): string {
  return whole.padStart(3, '0').replace(/(?=..$)/, '.')
}

function rounded(digits: string, kept: number): string {
  const up = digits[kept]! >= '5' ? 1n : 0n
  const leading = String(BigInt(digits.slice(0, kept)) + up)
  return leadingDigits(leading, digits.length - 1 + (leading.length - kept))
}

function leadingDigits(digits: string, exponent: number): string {
  return `${digits.replace(/0+$/, '')}e${exponent}`
}
