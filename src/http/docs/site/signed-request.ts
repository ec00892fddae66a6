import { type Bytes, joined, toHex, utf8 } from '../../../doctor/bytes.ts'
import { hmacSha256 } from '../../../doctor/digests.ts'

/** A request as entered in the form, not signed yet. */
export type UnsignedRequest = {
  method: string
  /** Path and query. */
  target: string
  contentType: string | null
  /** The bytes of the body, or of the tenantId if there is no body. */
  payload: Bytes
}

export type SignedRequest = {
  method: string
  target: string
  headers: Record<string, string>
  body: Bytes | null
  signingString: Bytes
}

export type Key = { apiKey: string; secret: string }

export async function signedRequest(
  { method, target, contentType, payload }: UnsignedRequest,
  { apiKey, secret }: Key,
  now: number,
): Promise<SignedRequest> {
  const timestamp = String(now)
  const signingString = joined(utf8(`${timestamp}.`), payload)
  const signature = toHex(await hmacSha256(utf8(secret), signingString))
  return {
    method,
    target,
    headers: {
      ...(contentType === null ? {} : { 'Content-Type': contentType }),
      'X-Api-Key': apiKey,
      'X-Timestamp': timestamp,
      'X-Signature': signature,
    },
    body: contentType === null ? null : payload,
    signingString,
  }
}
