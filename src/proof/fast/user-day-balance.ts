import { type Cipheriv, createCipheriv, randomBytes } from 'node:crypto'
import type { UserDay } from '../../rules/decide-batch.ts'
import type { Entry } from '../../rules/entry.ts'
import { Fault } from '../verify-entry.ts'

export type UserDayBalance = {
  addAward(award: Award, day: number): void
  addCounter(counter: UserDay): void
  /** Removes all counters from the balance. */
  forgetCounters(): void
  isEven(): boolean
}

type Award = Pick<Entry, 'tenantId' | 'userEmail' | 'points' | 'userDayTotal'>

/**
 * Proves that the awards to every user on every day add up, without a gap, from zero to that day's counter. Awards and
 * counters may come in any order, and the memory is one buffer.
 *
 * Think of steps between totals. An award steps from its user's total before it to the total after it. A counter steps
 * from the day's total back to zero. If every total is reached as often as it is left, the steps form closed cycles. With
 * one counter per user and day there is one cycle: no gap and no extra step. To compare both sides, each total gets a
 * pseudorandom weight, and the weights of reached and of left totals are summed. The key is new for each run, so a
 * forger cannot know the weights.
 *
 * The weight is an AES block under that key. Its input is two sums over the letters of tenant and user and the day, each
 * multiplied by a random number of 34 bits for its position; the total is added to the second sum. Two different user
 * days have the same sums with a probability below 2^-67, whatever a forger chose. Values outside the bounds of the sums
 * occur in no valid award.
 */
export function createUserDayBalance(): UserDayBalance {
  const first = randomFactors()
  const second = randomFactors()
  const cipher = createCipheriv('aes-128-ecb', randomBytes(16), null).setAutoPadding(false)
  const awards = { reached: createScale(cipher), left: createScale(cipher) }
  const counters = { reached: createScale(cipher), left: createScale(cipher) }

  function addStep(
    { reached, left }: typeof awards,
    at: { tenantId: string; userEmail: string },
    day: number,
    from: number,
    to: number,
  ): void {
    const { tenantId, userEmail } = at
    if (!(isCount(day, dayMax) && isCount(from, totalMax) && isCount(to, totalMax))) throw outOfBounds()
    if (!(isText(tenantId) && isText(userEmail))) throw outOfBounds()
    let a = day * first[0]!
    let b = day * second[0]!
    let codes = 0
    for (let index = 0, place = 1; index < tenantId.length; index++, place++) {
      const code = tenantId.charCodeAt(index) + 1
      codes |= code
      a += code * first[place]!
      b += code * second[place]!
    }
    for (let index = 0, place = 1 + textMax; index < userEmail.length; index++, place++) {
      const code = userEmail.charCodeAt(index) + 1
      codes |= code
      a += code * first[place]!
      b += code * second[place]!
    }
    if (codes > codeMax) throw outOfBounds()
    left.add(a, b + from)
    reached.add(a, b + to)
  }

  return {
    addAward: (award, day) =>
      addStep(awards, award, day, award.userDayTotal - award.points, award.userDayTotal),
    addCounter: (counter) => addStep(counters, counter, counter.day, counter.points, 0),
    forgetCounters() {
      counters.reached.clear()
      counters.left.clear()
    },
    isEven() {
      const reached = sumOf(awards.reached.sum(), counters.reached.sum())
      const left = sumOf(awards.left.sum(), counters.left.sum())
      return reached.every((word, index) => word === left[index])
    },
  }
}

/** No sum exceeds 2^53, up to which numbers are exact: 2^34 · (2^17 + 2 · 2^8 · 2^7) + 2^51 is less. */
const factorBits = 34
const dayMax = 2 ** 17 - 1
const textMax = 256
const codeMax = 127
const totalMax = 2 ** 51

function isCount(value: number, max: number): boolean {
  return value >= 0 && value <= max
}

/** A table whose constraints were removed may hold any value. */
function isText(value: unknown): boolean {
  return typeof value === 'string' && value.length <= textMax
}

function outOfBounds(): Fault {
  return new Fault('a user or a total that no award has')
}

function randomFactors(): Float64Array {
  const random = new BigUint64Array(randomBytes(8 * (1 + 2 * textMax)).buffer)
  return Float64Array.from(random, (value) => Number(BigInt.asUintN(factorBits, value)))
}

function sumOf(a: Uint32Array, b: Uint32Array): Uint32Array {
  return a.map((word, index) => word + b[index]!)
}

type Scale = { add(a: number, b: number): void; sum(): Uint32Array; clear(): void }

function createScale(cipher: Cipheriv): Scale {
  const blocks = new Float64Array(8192)
  const sums = new Uint32Array(4)
  let used = 0

  function weigh(): void {
    const weights = cipher.update(new Uint8Array(blocks.buffer, 0, used * blocks.BYTES_PER_ELEMENT))
    const words = new Uint32Array(weights.buffer, weights.byteOffset, weights.length / 4)
    for (let index = 0; index < words.length; index++) sums[index & 3]! += words[index]!
    used = 0
  }
  return {
    add(a, b) {
      blocks[used++] = a
      blocks[used++] = b
      if (used === blocks.length) weigh()
    },
    sum() {
      weigh()
      return sums
    },
    clear() {
      used = 0
      sums.fill(0)
    },
  }
}
