import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'

/**
 * The signing string is the X-Timestamp value as received, a dot, and the payload: an award's raw body, byte for
 * byte, or the decoded tenantId of a history request.
 */
export function sign(secret: string | KeyObject, timestamp: string, payload: string | Uint8Array): string {
  return hmac(secret, timestamp, payload).toString('hex')
}

export const signaturePattern = '^[0-9a-f]{64}$'
const lowercaseHex = new RegExp(signaturePattern)

/** Constant-time. The format is checked first: a lenient hex decoder would cut at the first foreign character. */
export function signatureMatches(
  secret: KeyObject,
  { timestamp, payload, signature }: { timestamp: string; payload: string | Uint8Array; signature: string },
): boolean {
  const expected = hmac(secret, timestamp, payload)
  return lowercaseHex.test(signature) && timingSafeEqual(expected, Buffer.from(signature, 'hex'))
}

function hmac(secret: string | KeyObject, timestamp: string, payload: string | Uint8Array): Buffer {
  return createHmac('sha256', secret).update(timestamp).update('.').update(payload).digest()
}
