import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { HmacKey } from '../shortcuts/hmac-key.ts'

/**
 * The signing string is the X-Timestamp value as received, a dot, and the payload: an award's raw body, byte for
 * byte, or the decoded tenantId of a history request.
 */
export function sign(secret: string | KeyObject, timestamp: string, payload: string | Uint8Array): string {
  return createHmac('sha256', secret).update(timestamp).update('.').update(payload).digest('hex')
}

export const signaturePattern = '^[0-9a-f]{64}$'
const lowercaseHex = new RegExp(signaturePattern)

/** Constant-time. The format is checked first: a lenient hex decoder would stop at the first invalid character. */
export function signatureMatches(
  secret: HmacKey,
  { timestamp, payload, signature }: { timestamp: string; payload: string | Uint8Array; signature: string },
): boolean {
  const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload
  const expected = secret.hmac(Buffer.from(`${timestamp}.`), bytes)
  return lowercaseHex.test(signature) && timingSafeEqual(expected, Buffer.from(signature, 'hex'))
}
