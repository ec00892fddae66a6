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

/** 64 bits of a keyed hash of a user. Two users may have the same: whoever looks one up compares the entry itself. */
export function userHash({ text }: UserKey, tenantId: string, userEmail: string): bigint {
  return hash('sha256', `${text} ${tenantId} ${userEmail}`, 'buffer').readBigInt64BE(0)
}

const uuid = /^([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-[0-9a-f]{4}-[0-9a-f]{12}$/

/** The first 64 bits of a transaction id, in which ids are nearly in the order of their time. Null: it is no UUID. */
export function idPrefix(epTransactionId: string): bigint | null {
  const [, a, b, c] = uuid.exec(epTransactionId) ?? []
  return a === undefined ? null : BigInt.asIntN(64, BigInt(`0x${a}${b}${c}`))
}
