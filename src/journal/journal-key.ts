import { randomBytes } from 'node:crypto'
import { seal, unseal } from '../access/seal.ts'
import { HmacKey } from '../shortcuts/hmac-key.ts'

const context = 'journal-key'
const keyBytes = 32
const fingerprintBytes = 16

/** A new random key, sealed by the master key: whoever copies the journal cannot try out orderIds. */
export function newJournalKey(masterKey: Uint8Array): Uint8Array {
  return seal(masterKey, randomBytes(keyBytes).toString('hex'), context)
}

export function openJournalKey(masterKey: Uint8Array, sealed: Uint8Array): HmacKey {
  try {
    return new HmacKey(unseal(masterKey, sealed, context))
  } catch (cause) {
    throw new Error('the master key is not the one it was made with', { cause })
  }
}

/** Finds a known order in the journal, without storing it. Of the orderId alone, so that the partner need not be known. */
export function orderFingerprint(key: HmacKey, orderId: string): string {
  return key.hmac(Buffer.from(orderId)).toString('base64url', 0, fingerprintBytes)
}
