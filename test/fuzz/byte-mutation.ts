import { integerBelow, oneOf, type Random } from '../support/seeded-random.ts'

const telling = [
  '\0',
  '\r',
  '\n',
  '\r\n',
  '\r\n\r\n',
  ' ',
  '\t',
  '"',
  '\\',
  '{',
  '}',
  ',',
  ':',
  '\xff',
  '\xc0\xaf',
  '\xed\xa0\x80',
  '%',
  '&',
  ';',
  '\x7f',
  '\x80',
]

/** One to four edits: a bit flipped, bytes put in, taken out, doubled or written over, the rest cut off. */
export function mutateBytes(bytes: Buffer, random: Random): Buffer {
  let mutated = bytes
  for (let count = 1 + integerBelow(random, 4); count > 0; count--)
    mutated = oneOf(random, edits)(mutated, random)
  return mutated
}

const edits: ((bytes: Buffer, random: Random) => Buffer)[] = [
  (bytes, random) => {
    const flipped = Buffer.from(bytes)
    if (flipped.length > 0) flipped[integerBelow(random, flipped.length)]! ^= 1 << integerBelow(random, 8)
    return flipped
  },
  (bytes, random) => replaced(bytes, random, 0, Buffer.from(oneOf(random, telling), 'latin1')),
  (bytes, random) => replaced(bytes, random, 1, Buffer.from(oneOf(random, telling), 'latin1')),
  (bytes, random) => replaced(bytes, random, 1 + integerBelow(random, 8), Buffer.alloc(0)),
  (bytes, random) => replaced(bytes, random, 0, randomBytes(random, 1 + integerBelow(random, 6))),
  (bytes, random) => {
    const start = integerBelow(random, bytes.length + 1)
    const again = bytes.subarray(start, start + 1 + integerBelow(random, 40))
    return Buffer.concat([bytes.subarray(0, start), again, bytes.subarray(start)])
  },
  (bytes, random) => bytes.subarray(0, bytes.length - integerBelow(random, Math.min(bytes.length, 20) + 1)),
]

function replaced(bytes: Buffer, random: Random, count: number, by: Buffer): Buffer {
  const start = integerBelow(random, bytes.length + 1)
  return Buffer.concat([bytes.subarray(0, start), by, bytes.subarray(start + count)])
}

export function randomBytes(random: Random, count: number): Buffer {
  return Buffer.from(Array.from({ length: count }, () => integerBelow(random, 256)))
}
