import type { AuthHeaders } from '../../src/access/authenticate.ts'
import { integerBelow, oneOf, type Random } from '../support/seeded-random.ts'
import { type Attempts, type Kind, kinds, ofEachKind, prepareAttempts } from './attempts.ts'
import { blockTimes } from './compare.ts'

/** Nanoseconds, the same number of each kind. */
export type Times = Record<Kind, Float64Array>

export type Schedule = {
  rounds: number
  random: Random
  keysOfAKind?: number
  /** How old the timestamps are. */
  ageMs?: number
  onRound?: (round: number) => void
}

/** Something that accepts or refuses callers: all these attempts must be refused. */
export type Authenticate = (headers: AuthHeaders) => boolean

const roundsPerDirectory = 20_000
const roundsPerDraw = blockTimes
const warmUpRounds = 20_000

/**
 * How long a call takes with each kind of attempt, from time to time with a new directory. Where a key happens to be in
 * memory makes it a little faster or slower as long as it is there, and many keys average that out.
 */
export async function measure(
  open: (attempts: Attempts) => Authenticate,
  { rounds, random, keysOfAKind, ageMs, onRound }: Schedule,
): Promise<Times> {
  const times = ofEachKind(() => new Float64Array(rounds))
  for (let from = -warmUp(rounds); from < rounds; from += roundsPerDirectory) {
    onRound?.(from)
    const attempts = await prepareAttempts(random, keysOfAKind, ageMs)
    const authenticate = open(attempts)
    const to = Math.min(from + roundsPerDirectory, rounds)
    for (const { round, kind, headers } of scheduled(attempts, random, { from, to })) {
      const started = performance.now()
      const ok = authenticate(headers)
      const ended = performance.now()
      if (ok) throw new Error(`an attempt of the kind ${kind} was let in`)
      if (round >= 0) times[kind][round] = (ended - started) * 1e6
    }
  }
  return times
}

/** Rounds below 0 do not count: the compiler needs some thousand calls until the code is optimized. */
export function warmUp(rounds: number): number {
  return Math.min(warmUpRounds, rounds)
}

/**
 * A round has one attempt of every kind, in random order: what slows the machine down slows them all. New
 * attempts are made once before they count: the first time depends on what ran before, not on the kind.
 */
export function* scheduled(
  { draw }: Attempts,
  random: Random,
  { from, to }: { from: number; to: number },
): Generator<{ round: number; kind: Kind; headers: AuthHeaders }> {
  const order = [...kinds]
  for (let start = from; start < to; start += roundsPerDraw) {
    const attempts = draw()
    for (const [index] of attempts.known.entries()) {
      for (const kind of kinds) yield { round: -1, kind, headers: attempts[kind][index]! }
    }
    for (let round = start; round < Math.min(start + roundsPerDraw, to); round++) {
      shuffle(order, random)
      for (const kind of order) yield { round, kind, headers: oneOf(random, attempts[kind]) }
    }
  }
}

function shuffle<T>(items: T[], random: Random): void {
  for (let last = items.length - 1; last > 0; last--) {
    const other = integerBelow(random, last + 1)
    const item = items[last]!
    items[last] = items[other]!
    items[other] = item
  }
}
