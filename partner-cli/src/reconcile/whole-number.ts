/** The sign in front of the decimals: in 1,000.00 a point, in 1.000,00 a comma. */
export type DecimalMark = '.' | ','

type WholeNumber = { value: number } | { problem: string }

/**
 * A whole number as shops and spreadsheets write it: 5000, 5000.00, 1,000,000, 1.000.000,00, 1 000, 5,000 ₫. What can be
 * read in two ways (1.000 is a thousand to one reader and one to the next) is a problem unless the decimal mark is given.
 */
export function readWholeNumber(cell: string, mark: DecimalMark | null): WholeNumber {
  const text = withoutCurrency(cell)
  const number = splitNumber(text)
  if (number === null) return { problem: whyNotANumber(text) }
  const [fraction, ...more] = decimalsOf(number, mark)
  if (fraction === undefined) return { problem: mark === null ? oddGroups : wrongMark(mark) }
  if (more.length > 0) return { problem: twoReadings(text) }
  if (!/^0*$/.test(fraction)) return { problem: 'must be a whole number, without a fraction' }
  const digits = number.groups.join('')
  const value = Number(fraction === '' ? digits : digits.slice(0, -fraction.length))
  if (!Number.isSafeInteger(value)) return { problem: tooLarge }
  return { value }
}

type SplitNumber = { groups: string[]; signs: string[] }

/** Groups of digits and the signs between them; null where it is not a number. */
function splitNumber(text: string): SplitNumber | null {
  if (!/^\d+([.,'’ ]\d+)*$/.test(text)) return null
  return { groups: text.split(/\D/), signs: [...text.replace(/\d/g, '')] }
}

/** The decimals of every reading that is possible: none, one or two. */
function decimalsOf({ groups, signs }: SplitNumber, mark: DecimalMark | null): string[] {
  const readings: string[] = []
  if (isGrouped(groups) && isOneSign(signs) && !signs.includes(mark ?? '')) readings.push('')
  const last = signs.at(-1)
  const isMark = mark === null ? last === '.' || last === ',' : last === mark
  if (
    isMark &&
    isGrouped(groups.slice(0, -1)) &&
    isOneSign(signs.slice(0, -1)) &&
    !signs.slice(0, -1).includes(last!)
  ) {
    readings.push(groups.at(-1)!)
  }
  return readings
}

/** 1.000.000, or a number without groups, of any length. */
function isGrouped([first, ...others]: string[]): boolean {
  return others.length === 0 || (/^[1-9]\d{0,2}$/.test(first!) && others.every((group) => group.length === 3))
}

function isOneSign(signs: string[]): boolean {
  return new Set(signs).size <= 1
}

/** Spaces around it, also those that a browser or a spreadsheet does not break, and the currency that raw units are in. */
function withoutCurrency(cell: string): string {
  return cell
    .replace(/\s/g, ' ')
    .trim()
    .replace(/^(?:₫|VN[DĐ]) ?|(?: ?(?:₫|[đĐ]|VN[DĐ]))$/gi, '')
}

/** The amount's maximum in the contract. */
const tooLarge = `is too large: an award takes at most ${Number.MAX_SAFE_INTEGER}. Correct it in the list`
const oddGroups = 'must be a whole number: write it without signs between the digits, or in groups of three'

function whyNotANumber(text: string): string {
  if (/^[-−(][^\d]{0,4}\d/.test(text)) return 'is negative: an award can only credit'
  if (/\p{Sc}|(?<!\p{L})[A-Z]{3}(?!\p{L})/u.test(text)) return 'is in another currency: raw units are needed'
  return 'must be a whole number, in digits'
}

function twoReadings(text: string): string {
  const grouped = text.replace(/\D/g, '')
  const decimal = text.replace(/\D.*$/, '')
  const [thousands, decimals] = text.includes('.') ? ['comma', 'point'] : ['point', 'comma']
  return `can be ${grouped} or ${decimal}: say which with --decimal-mark ${thousands} (${grouped}) or --decimal-mark ${decimals} (${decimal})`
}

function wrongMark(mark: DecimalMark): string {
  return `is not a number whose decimal mark is a ${mark === '.' ? 'point' : 'comma'}`
}
