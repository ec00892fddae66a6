import { sign } from '../access/signature.ts'

export type SigningKey = { apiKey: string; signingSecret: string }

/** The three headers of a signed request. */
export function signedHeaders(
  key: SigningKey,
  timestamp: string,
  payload: string | Uint8Array,
): Record<string, string> {
  return {
    'X-Api-Key': key.apiKey,
    'X-Timestamp': timestamp,
    'X-Signature': sign(key.signingSecret, timestamp, payload),
  }
}
