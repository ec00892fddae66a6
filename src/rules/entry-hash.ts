import { createHash } from 'node:crypto'
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
  const hash = createHash('sha256').update(Uint8Array.of(version))
  for (const field of fields) {
    const bytes = field === null ? null : typeof field === 'object' ? field : Buffer.from(String(field))
    const header = Buffer.alloc(5)
    header.writeUInt8(bytes === null ? 0 : 1)
    header.writeUInt32BE(bytes?.length ?? 0, 1)
    hash.update(header)
    if (bytes !== null) hash.update(bytes)
  }
  return hash.digest()
}
