import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto'
import { ApiProblem } from './problem.ts'

type UserId = { tenantId: string; userEmail: string }

const ivBytes = 12
const tagBytes = 16

/**
 * A reference to a user that stands in URLs, histories of browsers and logs instead of the address. It is the address,
 * encrypted with a key that only servers have. The nonce is a keyed hash of what is encrypted, so that a user has one
 * reference: a link that a colleague is sent works, and the access log can name a user.
 */
export function writeUserRef(masterKey: Uint8Array, { tenantId, userEmail }: UserId): string {
  const { encryption, naming } = keysOf(masterKey)
  const iv = createHmac('sha256', naming)
    .update(JSON.stringify([tenantId, userEmail]))
    .digest()
    .subarray(0, ivBytes)
  const cipher = createCipheriv('aes-256-gcm', encryption, iv).setAAD(Buffer.from(tenantId))
  const sealed = Buffer.concat([cipher.update(userEmail, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')
}

/** Throws if it is damaged, or of another tenant or ledger. */
export function readUserRef(masterKey: Uint8Array, tenantId: string, ref: string): UserId {
  const bytes = Buffer.from(ref, 'base64url')
  try {
    const decipher = createDecipheriv(
      'aes-256-gcm',
      keysOf(masterKey).encryption,
      bytes.subarray(0, ivBytes),
      {
        authTagLength: tagBytes,
      },
    )
      .setAAD(Buffer.from(tenantId))
      .setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
    const userEmail = Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()])
    return { tenantId, userEmail: userEmail.toString('utf8') }
  } catch {
    throw new ApiProblem('NOT_FOUND', 'there is no such reference to a user: look the address up again')
  }
}

function keysOf(masterKey: Uint8Array): { encryption: Uint8Array; naming: Uint8Array } {
  const derived = (purpose: string) => new Uint8Array(hkdfSync('sha256', masterKey, '', purpose, 32))
  return { encryption: derived('operator user reference'), naming: derived('operator user reference nonce') }
}
