import type { Caller, KeyDirectory } from './key-directory.ts'
import { signatureMatches } from './signature.ts'
import { type TimestampRefusal, timestampRefusal } from './timestamp.ts'

/** Header values as received, each occurrence by itself: a repeated header is not an authentication. */
export type AuthHeaders = { apiKey: string[]; timestamp: string[]; signature: string[] }

export type Authentication =
  | { ok: true; caller: Caller }
  | { ok: false; refusal: TimestampRefusal | { code: 'INVALID_SIGNATURE' } }

type AuthenticationParts = {
  keys: Pick<KeyDirectory, 'find'>
  now: number
  windowMs: number
  /**
   * For the log and the journal, never for the response: whose key it is that came with a wrong signature or timestamp.
   * Undefined: nobody's. Also called then, so that both cases do the same work.
   */
  onRefused?(owner: Caller | undefined): void
}

/**
 * Who signed this payload? Headers first, then the timestamp, then the signature. All
 * failures except the timestamp have the same refusal, so that it never discloses which keys exist.
 */
export function authenticate(
  headers: AuthHeaders,
  payload: string | Uint8Array,
  { keys, now, windowMs, onRefused = () => {} }: AuthenticationParts,
): Authentication {
  const apiKey = onlyValue(headers.apiKey)
  const timestamp = onlyValue(headers.timestamp)
  const signature = onlyValue(headers.signature)
  const complete = apiKey !== '' && timestamp !== '' && signature !== ''

  const refusal = complete ? timestampRefusal(timestamp, now, windowMs) : null
  if (refusal !== null) {
    onRefused(keys.find(apiKey, now).caller())
    return { ok: false, refusal }
  }

  const key = keys.find(apiKey, now)
  const matches = signatureMatches(key.secret, { timestamp, payload, signature })
  const owner = key.caller()
  if (complete && matches && owner !== undefined) return { ok: true, caller: owner }
  onRefused(owner)
  return { ok: false, refusal: { code: 'INVALID_SIGNATURE' } }
}

/** '' stands for a header that is missing, empty, repeated or not printable ASCII. */
function onlyValue(values: string[]): string {
  const [value = ''] = values.length === 1 ? values : []
  return printable.test(value) ? value : ''
}

const printable = /^[\x20-\x7e]*$/
