import { hash } from 'node:crypto'

/**
 * The key of the hashes of addresses. One half is in the ledger and one beside it, so that nobody can test with the
 * operator file alone whether an address is a user's.
 */
export type UserKey = { text: string; check: string }

export function userKey(inLedger: Uint8Array, besideIt: Uint8Array): UserKey {
  const halves = Buffer.concat([inLedger, besideIt])
  const text = hash('sha256', halves, 'base64')
  return { text, check: hash('sha256', `check ${text}`, 'base64') }
}

/** Hashes are from 0 to below this. */
export const userHashEnd = 2 ** 48

/**
 * 48 bits of a keyed hash of a user: a JavaScript number, and six bytes in SQLite. Two users may have the same: whoever looks
 * one up compares the entry itself.
 */
export function userHash({ text }: UserKey, tenantId: string, userEmail: string): number {
  return Number.parseInt(hash('sha256', `${text} ${tenantId} ${userEmail}`, 'hex').slice(0, 12), 16)
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-/

/**
 * The first 48 bits of a transaction id, which are the millisecond in which it was made: new ones are at the end of the
 * table, and the few of one millisecond are told apart by their entries. Null: it is no UUID.
 */
export function idPrefix(epTransactionId: string): number | null {
  if (!uuid.test(epTransactionId)) return null
  return Number.parseInt(epTransactionId.slice(0, 8) + epTransactionId.slice(9, 13), 16)
}
