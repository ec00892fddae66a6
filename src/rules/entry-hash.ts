import type { Caps } from './caps.ts'
import type { Entry } from './entry.ts'
import { type ByteText, bytesOf, fieldDigest } from '../shortcuts/field-digest.ts'

/**
 * Links an entry to its predecessor: a digest of the previous hash and every length-prefixed field, so that no two
 * different entries hash the same bytes.
 *
 * Personal fields enter as a salted commitment. A person's data can be erased together with the salt and the chain
 * still verifies; without the salt, the address cannot be guessed from the commitment.
 */
export function entryHash(entry: Omit<Entry, 'hash'>, previousHash: Uint8Array): Uint8Array {
  const commitment = entry.commitment ?? personalDigest(entry, entry.salt)
  return bytesOf(entryDigest(entry, entry.caps, previousHash, commitment))
}

export function personalCommitment(entry: Person & Pick<Entry, 'salt'>): Uint8Array {
  return bytesOf(personalDigest(entry, entry.salt))
}

type Bytes = Uint8Array | ByteText
type Person = Pick<Entry, 'userEmail' | 'note' | 'meta'>

/** The commitment of the personal fields. */
export function personalDigest({ userEmail, note, meta }: Person, salt: Uint8Array | null): ByteText {
  fieldDigest.begin()
  fieldDigest.writeBytes(salt)
  fieldDigest.writeText(userEmail)
  fieldDigest.writeText(note)
  fieldDigest.writeText(meta)
  return fieldDigest.finish()
}

/** The hash of all other fields, chained to the previous entry. */
export function entryDigest(
  entry: Omit<Entry, keyof Person | 'salt' | 'commitment' | 'caps' | 'hash'>,
  caps: Caps,
  previous: Bytes,
  commitment: Bytes,
): ByteText {
  fieldDigest.begin()
  fieldDigest.writeBytes(previous)
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
  fieldDigest.writeInteger(caps.perTx)
  fieldDigest.writeInteger(caps.perPartnerDay)
  fieldDigest.writeInteger(caps.perUserDay)
  fieldDigest.writeInteger(entry.partnerDayTotal)
  fieldDigest.writeInteger(entry.userDayTotal)
  return fieldDigest.finish()
}
