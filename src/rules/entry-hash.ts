import { hash } from 'node:crypto'
import type { Entry } from './entry.ts'

const version = 1

/**
 * What links an entry to its predecessor: SHA-256 over a version byte, the previous hash and every field, each with
 * its length in front, so that no two different entries can write the same bytes.
 *
 * Personal fields enter through their commitment. So a person's data can be erased, salt and all, and the chain
 * still verifies; without the salt nobody can guess the address back.
 */
export function entryHash(entry: Omit<Entry, 'hash'>, previousHash: Uint8Array): Uint8Array {
  return digest([
    previousHash,
    entry.partnerId,
    entry.tenantId,
    entry.seq,
    entry.epTransactionId,
    entry.orderId,
    entry.commitment ?? personalCommitment(entry),
    entry.rawAmount,
    entry.amountPerEp,
    entry.points,
    entry.awardedAt,
    entry.caps.perTx,
    entry.caps.perPartnerDay,
    entry.caps.perUserDay,
    entry.partnerDayTotal,
    entry.userDayTotal,
  ])
}

export function personalCommitment(entry: Pick<Entry, 'salt' | 'userEmail' | 'note' | 'meta'>): Uint8Array {
  return digest([entry.salt, entry.userEmail, entry.note, entry.meta])
}

type Field = Uint8Array | string | number | null

/** Each field: a byte for null or present, four bytes of length, the bytes. Integers are their decimal digits. */
function digest(fields: Field[]): Uint8Array {
  const parts = fields.map((field) => (typeof field === 'number' ? String(field) : field))
  const size = parts.reduce<number>((sum, part) => sum + 5 + lengthOf(part), 1)
  const buffer = Buffer.allocUnsafe(size)
  let at = buffer.writeUInt8(version)
  for (const part of parts) {
    at = buffer.writeUInt8(part === null ? 0 : 1, at)
    at = buffer.writeUInt32BE(lengthOf(part), at)
    if (typeof part === 'string') at += buffer.write(part, at)
    else if (part !== null) {
      buffer.set(part, at)
      at += part.length
    }
  }
  return hash('sha256', buffer, 'buffer')
}

function lengthOf(part: Uint8Array | string | null): number {
  if (part === null) return 0
  return typeof part === 'string' ? Buffer.byteLength(part) : part.length
}
