import { randomBytes } from 'node:crypto'
import { Fault } from '../verify-entry.ts'

type Order = { partnerId: string; orderId: string }

export type OrderSet = {
  add(order: Order): void
  /** Fingerprints that occur more than once: of orders credited twice, or, very rarely, of two different orders. */
  repeated(): Set<number>
  fingerprintOf(order: Order): number
}

/**
 * Finds orders that occur twice among many, without an index that could be damaged: a fingerprint of 8 bytes for each
 * order, sorted in the end. Two different orders have the same fingerprint with a chance of 2^-52, whatever a forger
 * chose, because its words are drawn for each run; after a repeated one, the caller compares the orders themselves.
 *
 * The fingerprint is tabulation hashing: every byte at every place has two random words, and all of them are XORed.
 */
export function createOrderSet(): OrderSet {
  const words = new Int32Array(randomBytes(4 * wordsOfPlace * (partnerMax + orderMax)).buffer)
  const hash = new Int32Array(2)
  const parts = Array.from({ length: partsCount }, createNumberList)

  function addToHash(text: string, firstPlace: number): void {
    let first = hash[0]!
    let second = hash[1]!
    for (let index = 0, place = firstPlace * wordsOfPlace; index < text.length; index++) {
      const code = text.charCodeAt(index)
      const low = place + 2 * (code & 255)
      first ^= words[low]!
      second ^= words[low + 1]!
      if (code > 255) {
        const high = place + wordsOfByte + 2 * (code >> 8)
        first ^= words[high]!
        second ^= words[high + 1]!
      }
      place += wordsOfPlace
    }
    hash[0] = first
    hash[1] = second
  }
  function hashOrder({ partnerId, orderId }: Order): void {
    if (!(isText(partnerId, partnerMax) && isText(orderId, orderMax)))
      throw new Fault('an order that no award has')
    hash[0] = 0
    hash[1] = 0
    addToHash(partnerId, 0)
    addToHash(orderId, partnerMax)
  }
  /** All bits of the first word, and 20 of the second one. */
  function fingerprint(): number {
    return (hash[0]! >>> 0) * 2 ** 20 + (hash[1]! & (2 ** 20 - 1))
  }

  return {
    add(order) {
      hashOrder(order)
      // Other bits than those of the fingerprint.
      parts[hash[1]! >>> 26]!.add(fingerprint())
    },
    repeated() {
      const found = new Set<number>()
      for (const part of parts) {
        const sorted = part.sorted()
        for (let index = 1; index < sorted.length; index++) {
          if (sorted[index] === sorted[index - 1]) found.add(sorted[index]!)
        }
      }
      return found
    },
    fingerprintOf(order) {
      hashOrder(order)
      return fingerprint()
    },
  }
}

/** Sorting many short lists is faster than sorting a long one. */
const partsCount = 64

/** In UTF-16 units: an id has at most 64, an order 200 characters. */
const partnerMax = 64
const orderMax = 400

/** Two words for each value of a byte. */
const wordsOfByte = 2 * 256
/** A UTF-16 unit has two bytes. */
const wordsOfPlace = 2 * wordsOfByte

/** If a table's constraints were removed, its columns may hold any type. */
function isText(value: unknown, lengthMax: number): boolean {
  return typeof value === 'string' && value.length <= lengthMax
}

type NumberList = { add(value: number): void; sorted(): Float64Array }

function createNumberList(): NumberList {
  let numbers = new Float64Array(1024)
  let used = 0
  return {
    add(value) {
      if (used === numbers.length) {
        const longer = new Float64Array(used * 2)
        longer.set(numbers)
        numbers = longer
      }
      numbers[used++] = value
    },
    sorted: () => numbers.subarray(0, used).sort(),
  }
}
