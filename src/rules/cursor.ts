import { createHash } from 'node:crypto'

/** Whose history is paged. */
export type AccountId = { partnerId: string; tenantId: string }

/**
 * A place in an account's history, opaque to the partner: a version byte, the last seq shown (8 bytes), and 8 bytes
 * of a hash over both and the account. The hash detects a damaged cursor and one of another account. A cursor grants
 * nothing (the request is signed), so the hash needs no key.
 */
export function writeCursor(account: AccountId, seq: number): string {
  const position = Buffer.alloc(9)
  position.writeUInt8(1)
  position.writeBigUInt64BE(BigInt(seq), 1)
  return Buffer.concat([position, checkBytes(account, position)]).toString('base64url')
}

/** The seq of a cursor; null if it is damaged, of another account or of another version. */
export function readCursor(account: AccountId, cursor: string): number | null {
  const bytes = Buffer.from(cursor, 'base64url')
  if (bytes.length !== 17) return null
  const seq = Number(bytes.readBigUInt64BE(1))
  // Encoding it again and comparing the text checks version, hash and the one allowed base64 spelling.
  return Number.isSafeInteger(seq) && writeCursor(account, seq) === cursor ? seq : null
}

function checkBytes({ partnerId, tenantId }: AccountId, position: Uint8Array): Uint8Array {
  return createHash('sha256').update(position).update(`${partnerId} ${tenantId}`).digest().subarray(0, 8)
}
