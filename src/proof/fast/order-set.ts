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
 * chose, because its factors are drawn for each run; after a repeated one, the caller compares the orders themselves.
 */
export function createOrderSet(): OrderSet {
  const first = randomFactors()
  const second = randomFactors()
  const parts = Array.from({ length: partsCount }, createNumberList)

  function fingerprintOf({ partnerId, orderId }: Order): number {
    if (!(isText(partnerId, partnerMax) && isText(orderId, orderMax)))
      throw new Fault('an order that no award has')
    let a = 0
    let b = 0
    for (let index = 0; index < partnerId.length; index++) {
      const code = partnerId.charCodeAt(index) + 1
      a += code * first[index]!
      b += code * second[index]!
    }
    for (let index = 0, place = partnerMax; index < orderId.length; index++, place++) {
      const code = orderId.charCodeAt(index) + 1
      a += code * first[place]!
      b += code * second[place]!
    }
    return remainder(a, firstPrime) * 2 ** 26 + remainder(b, secondPrime)
  }

  return {
    add(order) {
      const fingerprint = fingerprintOf(order)
      parts[fingerprint % partsCount]!.add(fingerprint)
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
    fingerprintOf,
  }
}

/** Sorting many short lists is faster than sorting a long one. */
const partsCount = 256

/** In UTF-16 units: an id has at most 64, an order 200 characters. */
const partnerMax = 64
const orderMax = 400

/** The largest primes below 2^26. A sum is below 2^26 · 2^16 · 464 < 2^51, up to which numbers are exact. */
const firstPrime = 67_108_859
const secondPrime = 67_108_837

/** If a table's constraints were removed, its columns may hold any type. */
function isText(value: unknown, lengthMax: number): boolean {
  return typeof value === 'string' && value.length <= lengthMax
}

/** `%` of numbers beyond 32 bits takes ten times as long. */
function remainder(value: number, prime: number): number {
  const rest = value - Math.floor(value / prime) * prime
  return rest < 0 ? rest + prime : rest >= prime ? rest - prime : rest
}

function randomFactors(): Float64Array {
  const random = new Uint32Array(randomBytes(4 * (partnerMax + orderMax)).buffer)
  return Float64Array.from(random, (value) => value & (2 ** 26 - 1))
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
