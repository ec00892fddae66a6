import { InvalidArgumentError } from './errors.ts'
import type { RuleFault } from './rule-fault.ts'

/** What is signed: X-Timestamp as it is sent, and an award's raw body or the tenantId of a history request. */
type Signed = { timestamp: string | number; payload: string | Uint8Array }

/**
 * The X-Signature of a request that you send yourself: HMAC-SHA-256 of the timestamp, a dot and the payload, in
 * lowercase hex. Send exactly the bytes that you sign.
 *
 * @example
 * ```ts
 * import { sign } from 'partner-credit-client'
 *
 * const signature = await sign({ signingSecret: 'pcs_example', timestamp: '1763182800000', payload: '{"a":1}' })
 * ```
 */
export async function sign({
  signingSecret,
  ...signed
}: Signed & { signingSecret: string }): Promise<string> {
  const faults: RuleFault[] = []
  if (!signingSecret) faults.push({ pointer: '/signingSecret', detail: 'is missing' })
  const { timestamp } = signed
  if (typeof timestamp === 'number' && !(Number.isSafeInteger(timestamp) && timestamp >= 0)) {
    faults.push({ pointer: '/timestamp', detail: 'must be whole milliseconds since 1970' })
  }
  if (faults.length > 0) throw new InvalidArgumentError('sign', faults)
  return createSigner(signingSecret)(signed)
}

const utf8 = new TextEncoder()

/** A copy of the bytes, with a type that compilers before TypeScript 5.7 can read, too. */
export type Bytes = ReturnType<TextEncoder['encode']>

/** The key is imported with the first signature and kept: importing it costs more than signing. */
export function createSigner(signingSecret: string): (signed: Signed) => Promise<string> {
  let key: Promise<CryptoKey> | undefined
  return async ({ timestamp, payload }) => {
    // The caller may reuse the bytes of the payload while the key is imported.
    const signed = signingString(timestamp, payload)
    key ??= crypto.subtle.importKey(
      'raw',
      utf8.encode(signingSecret),
      { name: 'HMAC', hash: 'SHA-256' },
      false,
      ['sign'],
    )
    const signature = await crypto.subtle.sign('HMAC', await key, signed)
    return hex(signature)
  }
}

export function hex(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function signingString(timestamp: string | number, payload: string | Uint8Array): Bytes {
  const start = utf8.encode(`${timestamp}.`)
  const rest = typeof payload === 'string' ? utf8.encode(payload) : payload
  const bytes = new Uint8Array(start.length + rest.length)
  bytes.set(start)
  bytes.set(rest, start.length)
  return bytes
}
