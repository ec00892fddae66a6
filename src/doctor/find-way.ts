import { type Bytes, sameBytes } from './bytes.ts'
import type { Digest } from './digests.ts'
import type { Framing } from './framings.ts'
import type { MistakeId, Variant } from './mistakes.ts'

/** The inputs of a signature, each with the correct value first. */
type Choices = {
  secrets: Variant<Bytes>[]
  framings: Variant<Framing>[]
  payloads: Variant<Bytes>[]
  digests: Variant<Digest>[]
}

export type Way = { mistakes: MistakeId[]; signed: Bytes }

/** The combination with the fewest mistakes that produces one of these signatures; null if there is none. */
export async function findWay(signatures: Variant<Bytes>[], choices: Choices): Promise<Way | null> {
  const lengths = new Set(signatures.map(({ value }) => value.length))
  const digests = choices.digests.filter(({ value }) => lengths.has(value.bytes))
  const possible = { ...choices, digests }
  const alone = stepsWith(possible, 1).sort((one, other) => one.mistakes.length - other.mistakes.length)
  return (await firstMatch(signatures, alone)) ?? firstMatch(signatures, stepsWith(simple(possible), 2))
}

type Step = { secret: Bytes; framing: Framing; payload: Bytes; digest: Digest; mistakes: MistakeId[] }

const stepsAtOnce = 64

async function firstMatch(signatures: Variant<Bytes>[], steps: Step[]): Promise<Way | null> {
  for (let at = 0; at < steps.length; at += stepsAtOnce) {
    const tried = steps
      .slice(at, at + stepsAtOnce)
      .map(async ({ secret, framing, payload, digest, mistakes }) => {
        const signed = framing(payload)
        const mac = await digest.of(secret, signed)
        const reading = signatures.find(({ value }) => sameBytes(value, mac))
        return reading === undefined ? null : { mistakes: [...mistakes, ...reading.mistakes], signed }
      })
    const way = (await Promise.all(tried)).find((found) => found !== null)
    if (way !== undefined) return way
  }
  return null
}

/** All combinations in which at most `wrongMax` of the four inputs are wrong. */
function stepsWith({ secrets, framings, payloads, digests }: Choices, wrongMax: number): Step[] {
  const isTooMuch = (...choices: Variant<unknown>[]) =>
    choices.filter(({ mistakes }) => mistakes.length > 0).length > wrongMax
  const steps: Step[] = []
  for (const secret of secrets) {
    for (const framing of framings) {
      if (isTooMuch(secret, framing)) continue
      for (const payload of payloads) {
        if (isTooMuch(secret, framing, payload)) continue
        for (const digest of digests) {
          if (isTooMuch(secret, framing, payload, digest)) continue
          steps.push({
            secret: secret.value,
            framing: framing.value,
            payload: payload.value,
            digest: digest.value,
            mistakes: [secret, framing, payload, digest].flatMap(({ mistakes }) => mistakes),
          })
        }
      }
    }
  }
  return steps
}

/** A payload that is wrong in several ways is not combined with other mistakes: there would be too many combinations. */
function simple(choices: Choices): Choices {
  return { ...choices, payloads: choices.payloads.filter(({ mistakes }) => mistakes.length <= 1) }
}
