/**
 * A program that reads an orderId as a number writes 493 for 00493, and 1118.2 for 1118.20; one that gives all numbers a
 * format makes the longer ones of the shorter. Whether that happened to a number is seen from how the others are written, in
 * the list and in the history. Of a million of them only a few facts are kept, no orderIds but examples.
 */
type NumberSpelling = {
  addListed(orderId: string): void
  addCredited(orderId: string): void
  /** To be asked when all were added; null where it is sure, or no number. */
  doubtAbout(orderId: string): string | null
}

export function createNumberSpelling(): NumberSpelling {
  const listed = nothingSeen()
  const credited = nothingSeen()
  return {
    addListed: (orderId) => see(listed, orderId),
    addCredited: (orderId) => see(credited, orderId),
    doubtAbout(orderId) {
      const number = numberIn(orderId)
      if (number === null) return null
      const atFront = number.isPadded
        ? doubtAboutPadding(number, credited)
        : doubtAboutFront(number, listed, credited)
      return atFront ?? doubtAboutEnd(number, listed, credited)
    },
  }
}

type Range = { least: number; most: number; orderId: string }

type Seen = {
  /** Those with nothing in front, by the length of their whole part. */
  plain: Map<number, Range>
  /** Those with zeros, or a plus sign, in front: one of each length. */
  padded: Map<number, string>
  /** One for each number of decimals; 0 for whole numbers. */
  decimals: Map<number, string>
  /** The most decimals of one that ends in a zero. */
  decimalsKept: number
  /** Such as 1118.00, which a program writes as a whole number. */
  hasZerosOnly: boolean
}

function nothingSeen(): Seen {
  return {
    plain: new Map(),
    padded: new Map(),
    decimals: new Map(),
    decimalsKept: 0,
    hasZerosOnly: false,
  }
}

type Digits = { whole: string; decimals: string; isPadded: boolean }

function numberIn(orderId: string): Digits | null {
  const parts = /^\s*(\+?\d+)(?:[.,](\d+))?\s*$/.exec(orderId)
  if (parts === null) return null
  const [, whole = '', decimals = ''] = parts
  return { whole, decimals, isPadded: /^(?:\+|0\d)/.test(whole) }
}

function see(seen: Seen, orderId: string): void {
  const number = numberIn(orderId)
  if (number === null) return
  const { whole, decimals, isPadded } = number
  if (isPadded) setOnce(seen.padded, whole.length, orderId)
  else {
    const value = Number(whole)
    const range = seen.plain.get(whole.length)
    if (range === undefined) seen.plain.set(whole.length, { least: value, most: value, orderId })
    else {
      range.least = Math.min(range.least, value)
      range.most = Math.max(range.most, value)
    }
  }
  setOnce(seen.decimals, decimals.length, orderId)
  if (decimals.endsWith('0')) seen.decimalsKept = Math.max(seen.decimalsKept, decimals.length)
  if (/^0+$/.test(decimals)) seen.hasZerosOnly = true
}

/** A text that was cut out of a file keeps all that was read with it in memory. */
function setOnce(examples: Map<number, string>, length: number, orderId: string): void {
  if (!examples.has(length)) examples.set(length, orderId)
}

/** 0 for none. */
function longest(...seen: Map<number, unknown>[]): number {
  return Math.max(0, ...seen.flatMap((lengths) => [...lengths.keys()]))
}

function doubtAboutPadding({ whole }: Digits, credited: Seen): string | null {
  if (credited.padded.has(whole.length)) return null
  for (const [length, { orderId }] of credited.plain) {
    if (length < whole.length) return `a program may have put zeros in front of it: ${orderId} has none`
  }
  return null
}

function doubtAboutFront({ whole }: Digits, listed: Seen, credited: Seen): string | null {
  const longestPadded = longest(listed.padded, credited.padded)
  if (longestPadded > 0) {
    // 100 may be 0100 where there is 099, unless the list has kept its zeros, or numbers without zeros are credited.
    const isLikeOthers = listed.padded.size > 0 || longest(credited.plain) >= longestPadded
    const example = credited.padded.get(longestPadded) ?? listed.padded.get(longestPadded)
    if (whole.length < longestPadded || !isLikeOthers) {
      return `a program may have taken zeros, or a plus sign, from its front: ${example} has some`
    }
  }
  const longestPlain = longest(listed.plain, credited.plain)
  const isShorter = longestPlain >= fixedLengthMin && whole.length < longestPlain
  if (!isShorter || credited.plain.has(whole.length)) return null
  for (let length = whole.length; length < longestPlain; length++) {
    if (isGrowing(length, listed, credited)) return null
  }
  const { orderId } = (credited.plain.get(longestPlain) ?? listed.plain.get(longestPlain))!
  return `a program may have taken zeros from its front: ${orderId} is longer`
}

/** Shorter numbers are too few for a shop that gives all of them the same length. */
const fixedLengthMin = 4

/**
 * Whether these numbers go on where they get longer, as from 998 to 1000. Numbers that begin with a day, a month or a time do
 * not: from the 9th to the 10th, from 9302699 to 10012601, from 95959 to 100000, it is four per cent at least.
 */
function isGrowing(length: number, listed: Seen, credited: Seen): boolean {
  const rangesOf = (length: number) => [listed, credited].flatMap(({ plain }) => plain.get(length) ?? [])
  const most = Math.max(...rangesOf(length).map(({ most }) => most))
  const least = Math.min(...rangesOf(length + 1).map(({ least }) => least))
  return least - most <= Math.max(10, most / 50)
}

function doubtAboutEnd({ decimals }: Digits, listed: Seen, credited: Seen): string | null {
  const most = longest(listed.decimals, credited.decimals)
  const example = credited.decimals.get(most) ?? listed.decimals.get(most)
  if (most === 0) return null
  if (decimals === '') {
    const isSure = credited.decimals.has(0) && !credited.hasZerosOnly && !listed.hasZerosOnly
    return isSure ? null : `a program may have taken its decimals: ${example} has some`
  }
  const taken = 'a program may have taken zeros from its end'
  if (decimals.length < most) return `${taken}: ${example} has more decimals`
  if (!credited.decimals.has(most) && listed.decimalsKept < most) {
    return `${taken}: no credited order has as many decimals`
  }
  if (!decimals.endsWith('0') || credited.decimalsKept === most) return null
  for (const [count, orderId] of credited.decimals) {
    if (count > 0 && count < most)
      return `a program may have put zeros at its end: ${orderId} has fewer decimals`
  }
  return null
}
