import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'

/**
 * The signing string is the X-Timestamp value as received, a dot, and the payload: an award's raw body, byte for
 * byte, or the decoded tenantId of a history request.
 */
export function sign(secret: string | KeyObject, timestamp: string, payload: string | Uint8Array): string {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(payload).digest('hex')
}

export const signaturePattern = '^[0-9a-f]{64}$'
const lowercaseHex = new RegExp(signaturePattern)

/** Constant-time, and compared as text: the digest's own bytes would take as long to fetch as to make. */
export function signatureMatches(
  secret: KeyObject,
  { timestamp, payload, signature }: { timestamp: string; payload: string | Uint8Array; signature: string },
): boolean {
  const expected = sign(secret, timestamp, payload)
  return lowercaseHex.test(signature) && timingSafeEqual(Buffer.from(expected), Buffer.from(signature))
}
