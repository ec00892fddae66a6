import { hkdfSync } from 'node:crypto'
import { assertSealedUnder } from './master-key.ts'

/**
 * The key that authenticates an export. It is derived from the ledger's master key and used for nothing else. Its id is
 * in the file, so that a ledger whose master key was changed still finds the right one.
 */
export function exportKey(masterKey: Uint8Array) {
  const derived = (label: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', masterKey, '', `partner-credit export: ${label}`, bytes))
  return {
    id: derived('id of the key', 8).toString('hex'),
    key: derived('key', 32),
    /** Throws if the ledger was created with another master key. */
    checkStoredValue: (name: string, value: Uint8Array) => assertSealedUnder(masterKey, name, value),
  }
}
