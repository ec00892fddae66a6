import { hkdfSync } from 'node:crypto'
import { assertSealedUnder } from './master-key.ts'

/**
 * What an export is sealed with: a key that is derived from the ledger's master key and good for nothing else, and its
 * id, which stands in the file, so that a ledger that has changed its master key still knows which one to take.
 */
export function exportKey(masterKey: Uint8Array) {
  const derived = (label: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', masterKey, '', `partner-credit export: ${label}`, bytes))
  return {
    id: derived('id of the key', 8).toString('hex'),
    key: derived('key', 32),
    /** Throws where a ledger that remembers its master key has another one. */
    checkStoredValue: (name: string, value: Uint8Array) => assertSealedUnder(masterKey, name, value),
  }
}
