import { type Bytes, textOf, toBase64 } from '../doctor/bytes.ts'
import { type Diagnosis, diagnose } from '../doctor/diagnose.ts'
import { readRequest } from '../doctor/read-request.ts'

/** The request or the secret cannot be read, so nothing is known about the signature. */
export class NotExaminable extends Error {}

type Given = {
  request: Bytes
  /** The file that the request names with @, where the user has named it too: a pasted command may name any file. */
  body: Bytes | null
  /** Asked for when the request is readable; null or empty where there is none. */
  secret: () => Promise<string | null> | string | null
  /** How to give the secret, for the message. */
  secretHint: string
  /** The body of the service's 401 response. */
  answer: Bytes | null
  /** Milliseconds since 1970. */
  now: number
}

export async function examineRequest(given: Given): Promise<Diagnosis> {
  const reading = readRequest(given.request, () => given.body)
  if (!reading.ok) throw new NotExaminable(reading.problem)
  const secret = await given.secret()
  if (!secret?.trim()) throw new NotExaminable(`the signing secret is missing: ${given.secretHint}`)
  return diagnose({
    request: reading.request,
    secret,
    now: given.now,
    ...(given.answer === null ? {} : { answer: String(textOf(given.answer)) }),
  })
}

/** A diagnosis for a program: bytes as text for reading, and as base64 for the exact bytes. */
export function diagnosisDocument({ signingString, signed, ...diagnosis }: Diagnosis) {
  return { ...diagnosis, signingString: shown(signingString), signed: shown(signed) }
}

function shown(bytes: Bytes | null) {
  return bytes === null ? null : { bytes: bytes.length, text: textOf(bytes), base64: toBase64(bytes) }
}
