import type { Entry } from './entry.ts'
import { fieldDigest } from './field-digest.ts'

/**
 * What links an entry to its predecessor: a digest of the previous hash and every field, each with its length in
 * front, so that no two different entries can write the same bytes.
 *
 * Personal fields enter through their commitment. So a person's data can be erased, salt and all, and the chain
 * still verifies; without the salt nobody can guess the address back.
 */
export function entryHash(entry: Omit<Entry, 'hash'>, previousHash: Uint8Array): Uint8Array {
  const commitment = entry.commitment ?? personalCommitment(entry)
  fieldDigest.begin()
  fieldDigest.writeBytes(previousHash)
  fieldDigest.writeText(entry.partnerId)
  fieldDigest.writeText(entry.tenantId)
  fieldDigest.writeInteger(entry.seq)
  fieldDigest.writeText(entry.epTransactionId)
  fieldDigest.writeText(entry.orderId)
  fieldDigest.writeBytes(commitment)
  fieldDigest.writeInteger(entry.rawAmount)
  fieldDigest.writeInteger(entry.amountPerEp)
  fieldDigest.writeInteger(entry.points)
  fieldDigest.writeInteger(entry.awardedAt)
  fieldDigest.writeInteger(entry.caps.perTx)
  fieldDigest.writeInteger(entry.caps.perPartnerDay)
  fieldDigest.writeInteger(entry.caps.perUserDay)
  fieldDigest.writeInteger(entry.partnerDayTotal)
  fieldDigest.writeInteger(entry.userDayTotal)
  return fieldDigest.finish()
}

export function personalCommitment(entry: Pick<Entry, 'salt' | 'userEmail' | 'note' | 'meta'>): Uint8Array {
  fieldDigest.begin()
  fieldDigest.writeBytes(entry.salt)
  fieldDigest.writeText(entry.userEmail)
  fieldDigest.writeText(entry.note)
  fieldDigest.writeText(entry.meta)
  return fieldDigest.finish()
}
