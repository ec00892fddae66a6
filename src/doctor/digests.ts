import { type Bytes, joined } from './bytes.ts'
import type { Variant } from './mistakes.ts'

export type Digest = { bytes: number; of(key: Bytes, message: Bytes): Promise<Bytes> }

type Hash = 'SHA-1' | 'SHA-256' | 'SHA-384' | 'SHA-512'

export async function hmacSha256(key: Bytes, message: Bytes): Promise<Bytes> {
  return hmac('SHA-256', key, message)
}

export async function sha256(message: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', message))
}

/** The correct function first, then common wrong ones. */
export const digests: Variant<Digest>[] = [
  { value: { bytes: 32, of: hmacSha256 }, mistakes: [] },
  { value: { bytes: 32, of: (_, message) => sha256(message) }, mistakes: ['no-secret'] },
  {
    value: { bytes: 32, of: (key, message) => sha256(joined(key, message)) },
    mistakes: ['secret-in-message'],
  },
  {
    value: { bytes: 32, of: (key, message) => sha256(joined(message, key)) },
    mistakes: ['secret-in-message'],
  },
  {
    value: { bytes: 32, of: (key, message) => hmacSha256(message, key) },
    mistakes: ['key-and-text-swapped'],
  },
  { value: { bytes: 20, of: (key, message) => hmac('SHA-1', key, message) }, mistakes: ['hmac-sha1'] },
  { value: { bytes: 48, of: (key, message) => hmac('SHA-384', key, message) }, mistakes: ['hmac-sha384'] },
  { value: { bytes: 64, of: (key, message) => hmac('SHA-512', key, message) }, mistakes: ['hmac-sha512'] },
]

/** Importing a key costs as much as signing with it, and a search signs thousands of strings with few keys. */
const imported = new WeakMap<Bytes, Map<Hash, CryptoKey>>()

async function hmac(hash: Hash, key: Bytes, message: Bytes): Promise<Bytes> {
  const keys = imported.get(key) ?? new Map<Hash, CryptoKey>()
  imported.set(key, keys)
  let usable = keys.get(hash)
  if (usable === undefined) {
    // WebCrypto rejects an empty key. HMAC pads keys with zeros, so a single zero byte is the same key.
    const raw = key.length === 0 ? Uint8Array.of(0) : key
    usable = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash }, false, ['sign'])
    keys.set(hash, usable)
  }
  return new Uint8Array(await crypto.subtle.sign('HMAC', usable, message))
}
