import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const version = 1
const ivBytes = 12
const tagBytes = 16

/** AES-256-GCM under the master key. `context` is authenticated: a text that was moved to another row cannot be decrypted. */
export function seal(masterKey: Uint8Array, text: string, context: string): Uint8Array {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', masterKey, iv).setAAD(Buffer.from(context))
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([Uint8Array.of(version), iv, cipher.getAuthTag(), sealed])
}

/** Throws if the key, the context or a single bit is wrong. */
export function unseal(masterKey: Uint8Array, sealed: Uint8Array, context: string): string {
  if (sealed[0] !== version) throw new Error(`unknown version ${sealed[0]} of a sealed secret`)
  const body = sealed.subarray(1)
  const decipher = createDecipheriv('aes-256-gcm', masterKey, body.subarray(0, ivBytes), {
    authTagLength: tagBytes, // older Nodes accept a shorter tag, which can be guessed
  })
    .setAAD(Buffer.from(context))
    .setAuthTag(body.subarray(ivBytes, ivBytes + tagBytes))
  return Buffer.concat([decipher.update(body.subarray(ivBytes + tagBytes)), decipher.final()]).toString(
    'utf8',
  )
}
