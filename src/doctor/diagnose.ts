import { bodyMistake, bodyRemarks } from './body-form.ts'
import { type Bytes, joined, toHex, utf8 } from './bytes.ts'
import { digests, hmacSha256, sha256 } from './digests.ts'
import { enteredSecret } from './entered-secret.ts'
import { findWay, type Way } from './find-way.ts'
import { framings } from './framings.ts'
import { readSignature } from './given-signature.ts'
import { headerMistakes, isPlaceholder } from './header-mistakes.ts'
import { type MistakeId, mistakes } from './mistakes.ts'
import { otherTimes } from './other-times.ts'
import { payloadOf, payloads } from './payloads.ts'
import { secretsUsed } from './secrets-used.ts'
import type { SentRequest } from './sent-request.ts'
import { timeRemark } from './time-remark.ts'

type Mistake = { id: MistakeId; title: string; fix: string; about: string | null }

export type Diagnosis = {
  /** Whether the headers are well-formed and the signature is the one that the service computes. */
  isRight: boolean
  /** Empty if it is right. */
  mistakes: Mistake[]
  notes: string[]
  /** What must be signed; null if there is no timestamp. */
  signingString: Bytes | null
  /** The offset of the payload in the signing string. */
  payloadStart: number
  expected: string | null
  given: string
  /** What was signed instead, if that is known and differs. */
  signed: Bytes | null
  body: { bytes: number; sha256: string }
}

type Case = {
  request: SentRequest
  secret: string
  /** The body of the service's 401 response, if known: it says which body arrived, and when. */
  answer?: string
  /** Milliseconds since 1970, to say how old the request is. */
  now: number
}

/** Computes the signature that this request must have, and finds the mistake that leads to the one it has. Sends nothing. */
export async function diagnose({ request, secret: secretGiven, answer = '', now }: Case): Promise<Diagnosis> {
  const { secret, note } = enteredSecret(secretGiven)
  const timestamp = isPlaceholder(request.timestamp[0] ?? '') ? '' : (request.timestamp[0] ?? '')
  const given = request.signature[0] ?? ''
  const payload = payloadOf(request)
  const signingString = joined(utf8(`${timestamp}.`), payload)
  const expected = toHex(await hmacSha256(utf8(secret), signingString))
  const body = { bytes: request.body.length, sha256: toHex(await sha256(request.body)) }

  const found = headerMistakes(request).map(({ id, about }) => mistake(id, about))
  const transit = bodyChanged(answer, body)
  if (transit !== null) found.push(mistake('body-changed-in-transit', transit))
  let way: Way | null = null
  if (timestamp !== '' && given !== '' && given !== expected && !isPlaceholder(given)) {
    way = await explain(request, { secret, timestamp, given, expected })
    const isUnexplained = way === null && transit === null
    const ids: MistakeId[] =
      way?.mistakes ?? (isUnexplained ? [bodyMistake(request) ?? 'other-secret-or-bytes'] : [])
    found.push(...ids.map((id) => mistake(id)))
    if (isUnexplained && /^pck_/.test(secret)) found.unshift(mistake('secret-is-api-key'))
  }
  const isRight = found.length === 0
  const remarks = [note, ...(isRight ? bodyRemarks(request) : []), timeRemark({ timestamp, now, answer })]
  return {
    isRight,
    mistakes: found,
    notes: [...request.notes, ...remarks.filter((remark) => remark !== null)],
    signingString: timestamp === '' ? null : signingString,
    payloadStart: timestamp.length + 1,
    expected: timestamp === '' ? null : expected,
    given,
    signed: way === null || toHex(way.signed) === toHex(signingString) ? null : way.signed,
    body,
  }
}

type Facts = { secret: string; timestamp: string; given: string; expected: string }

async function explain(request: SentRequest, facts: Facts): Promise<Way | null> {
  const { secret, timestamp, given, expected } = facts
  const signatures = readSignature(given)
  const signed = joined(utf8(`${timestamp}.`), payloadOf(request))
  if (given.length >= cutMin && given.length < expected.length && expected.startsWith(given)) {
    return { mistakes: ['signature-cut'], signed }
  }
  const choices = {
    secrets: await secretsUsed(secret, request.apiKey[0] ?? ''),
    framings: framings(request, timestamp),
    payloads: await payloads(request),
    digests,
  }
  const way = await findWay(signatures, choices)
  if (way !== null) return way
  return findWay(signatures, {
    secrets: choices.secrets.slice(0, 1),
    framings: otherTimes(timestamp).map(({ text, mistake }) => ({
      value: (payload: Bytes) => joined(utf8(`${text}.`), payload),
      mistakes: [mistake],
    })),
    payloads: choices.payloads.slice(0, 1),
    digests: digests.slice(0, 1),
  })
}

/** A common prefix of this length is not a coincidence. */
const cutMin = 8

/** Null if the response does not say which body arrived, or if it is the same body. */
function bodyChanged(answer: string, body: { bytes: number; sha256: string }): string | null {
  const [, hash] = /"bodySha256"\s*:\s*"([0-9a-f]{64})"/.exec(answer) ?? []
  if (hash === undefined || hash === body.sha256) return null
  const [, bytes = '?'] = /"bodyBytes"\s*:\s*(\d+)/.exec(answer) ?? []
  return `${body.bytes} bytes here, ${bytes} arrived`
}

function mistake(id: MistakeId, about: string | null = null): Mistake {
  return { id, ...mistakes[id], about }
}
