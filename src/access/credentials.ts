import { hash, randomBytes } from 'node:crypto'
import { seal, unseal } from './seal.ts'

/** What a partner signs with. The secret is shown once, when it is created. */
export type Credentials = { apiKey: string; signingSecret: string }

/** What we store: enough to check a signature, but useless without the master key. */
export type SealedKey = { keyId: string; apiKeyHash: string; sealedSecret: Uint8Array }

export function createCredentials(
  partnerId: string,
  masterKey: Uint8Array,
): { credentials: Credentials; sealed: SealedKey } {
  const keyId = `key_${randomBytes(8).toString('hex')}`
  const credentials = {
    apiKey: `pck_${randomBytes(18).toString('base64url')}`,
    signingSecret: `pcs_${randomBytes(32).toString('base64url')}`,
  }
  const sealedSecret = seal(masterKey, credentials.signingSecret, sealContext(partnerId, keyId))
  return { credentials, sealed: { keyId, apiKeyHash: apiKeyHash(credentials.apiKey), sealedSecret } }
}

export function openSecret(partnerId: string, key: SealedKey, masterKey: Uint8Array): string {
  return unseal(masterKey, key.sealedSecret, sealContext(partnerId, key.keyId))
}

export function apiKeyHash(apiKey: string): string {
  return hash('sha256', apiKey)
}

/** The same as bytes, for every request. One character a byte: crypto takes longer to create a buffer than to hash. */
export function apiKeyHashBytes(apiKey: string): Buffer {
  return Buffer.from(hash('sha256', apiKey, 'latin1'), 'latin1')
}

/** Our ids have no spaces. A row with one did not come from us, and could read as another partner's key. */
function sealContext(partnerId: string, keyId: string): string {
  if (/ /.test(partnerId + keyId)) throw new Error('an id with a space is not one of ours')
  return `${partnerId} ${keyId}`
}
