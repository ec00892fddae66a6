/**
 * Spreadsheets, exports and people change how an orderId is written; to the service every spelling is another order.
 * These functions tell which spellings may mean one order. They never say that two orders are the same.
 */

/**
 * What stays the same when only the spelling of an orderId changes: not the case, accents, white space, invisible
 * characters (a byte order mark), full-width digits, kinds of dash, leading zeros, an apostrophe in front, the ="…" that
 * keeps a spreadsheet from reading a number, nor what it changes in one: a plus in front, zeros at the end of its
 * decimals, their mark, the signs between its thousands, a currency, a percent sign, and the minus that accountants write
 * as parentheses. Of 1/2 and 1-2 it makes the same date.
 */
export function likeness(orderId: string): string {
  return withoutAccents(plain(orderId))
    .replace(/^\+(?=[\d.,])/, '')
    .replace(/^(\d+)\/(\d+)$/, '$1-$2')
    .replace(/^(\d+)(?:[.,](\d+))?%$/, (_, whole, decimals = '') => hundredth(whole) + decimals)
    .replace(/^(\d*)[.,](\d*?)0*$/, (_, whole, decimals) =>
      decimals === '' ? whole : `${whole}.${decimals}`,
    )
    .replace(/(?<!\d)0+(?=\d)|^0+(?=\.\d+$)/g, '')
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

/** A number that is written with a power of ten, unlike one that ends in zeros. */
export function isScientific(orderId: string): boolean {
  return shortenedNumber(orderId) !== null && /[eE]/.test(orderId.normalize('NFKC'))
}

/** In the form in which spreadsheets show long numbers. 12E3 may be a whole orderId. */
export function hasLostDigits(orderId: string): boolean {
  return isScientific(orderId) && !/^\d{2,}e/.test(plain(orderId))
}

/** The same for all spellings of an orderId, and for all that a spreadsheet shortens to the same text. */
export function spellingGroup(orderId: string): string {
  return shortenedNumber(orderId) ?? likeness(orderId)
}

/** Nothing in it that people do not type and that a spreadsheet, an export or a word processor adds. */
export function isPlainlySpelled(orderId: string): boolean {
  return (
    orderId === orderId.trim() &&
    plain(orderId) === orderId.toLowerCase().replaceAll(' ', '') &&
    !/^\d+[.,]0+$/.test(orderId) &&
    !/^[\d.,]+%$/.test(orderId) &&
    !rewrittenSign.test(orderId) &&
    !lostLetter.test(orderId) &&
    !wrongEncoding.test(orderId) &&
    !otherDigit.test(orderId)
  )
}

/** A quote of a word processor, and a sign as it is written for a web page (&amp;) or an address (%20). */
const rewrittenSign = /[‘’“”]|&(?:[a-z]+|#\w+);|%[\da-f]{2}/i
/** What an encoding writes for a letter that it does not have. */
const lostLetter = /[?\ufffd]/
/**
 * A letter in UTF-8 that was read as Windows-1252, Windows-1258 or Mac Roman: Ã£, Ă£ or √£ for ã. And Windows-1258 that
 * was read as Windows-1252: Ð, which is no letter of Vietnamese, for Đ.
 */
const wrongEncoding =
  /[ðÐþÞ√ƒ∆≈]|·[∫ª]|[\u00c2-\u00f4\u0102\u0103\u0110\u0111\u01a0\u01af][\u0080-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013-\u203a\u20ac\u2122]/
/** A spreadsheet shows the digits of its language. */
const otherDigit = /(?!\d)\p{Nd}/u

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
  const digits = /^\+?0*([1-9]\d*)(?:[.,]0+)?$/.exec(plain(orderId))?.[1]
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

/** In front of a number, or behind it. */
const currency = /^(?:\p{Sc}|VN[DĐ])(?=[\d.,]+$)|(?<=^[\d.,]+)(?:\p{Sc}|Đ|VN[DĐ])$/giu

function plain(orderId: string): string {
  return orderId
    .normalize('NFKC')
    .replace(/[\s\p{Cc}\p{Cf}]/gu, '')
    .replace(/[\p{Pd}\u2212]/gu, '-')
    .replace(/^=?"(.*)"$/, '$1')
    .replace(/^['‘’`]/, '')
    .replace(/^\(([\d.,]+)\)$/, '-$1')
    .replace(currency, '')
    .replace(grouped, (number) => number.replace(/[.,'’](?=\d{3}(?!\d))/g, ''))
    .toLowerCase()
}

/** As a number with two more decimals. */
function hundredth(whole: string): string {
  return whole.padStart(3, '0').replace(/(?=..$)/, '.')
}

function withoutAccents(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').replace(/[đð]/g, 'd')
}

function rounded(digits: string, kept: number): string {
  const up = digits[kept]! >= '5' ? 1n : 0n
  const leading = String(BigInt(digits.slice(0, kept)) + up)
  return leadingDigits(leading, digits.length - 1 + (leading.length - kept))
}

function leadingDigits(digits: string, exponent: number): string {
  return `${digits.replace(/0+$/, '')}e${exponent}`
}
