import type { Caps } from './caps.ts'
import type { AccountId } from './cursor.ts'
import type { Entry } from './entry.ts'
import { type ByteText, bytesOf, FieldDigest, textFields } from '../shortcuts/field-digest.ts'

const digest = new FieldDigest()

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
  digest.begin()
  digest.writeBytes(salt)
  digest.writeText(userEmail)
  digest.writeText(note)
  digest.writeText(meta)
  return digest.finish()
}

/** The first fields of every entry of an account, which `entryDigest` need not write again for each. */
export function accountFields({ partnerId, tenantId }: AccountId): Uint8Array {
  return textFields(partnerId, tenantId)
}

/** The hash of all other fields, chained to the previous entry. `account` is of the entry's account. */
export function entryDigest(
  entry: Omit<Entry, keyof Person | 'salt' | 'commitment' | 'caps' | 'hash'>,
  caps: Caps,
  previous: Bytes,
  commitment: Bytes,
  account: Uint8Array | null = null,
): ByteText {
  digest.begin()
  digest.writeBytes(previous)
  if (account === null) {
    digest.writeText(entry.partnerId)
    digest.writeText(entry.tenantId)
  } else {
    digest.writeFields(account)
  }
  digest.writeInteger(entry.seq)
  digest.writeText(entry.epTransactionId)
  digest.writeText(entry.orderId)
  digest.writeBytes(commitment)
  digest.writeInteger(entry.rawAmount)
  digest.writeInteger(entry.amountPerEp)
  digest.writeInteger(entry.points)
  digest.writeInteger(entry.awardedAt)
  digest.writeInteger(caps.perTx)
  digest.writeInteger(caps.perPartnerDay)
  digest.writeInteger(caps.perUserDay)
  digest.writeInteger(entry.partnerDayTotal)
  digest.writeInteger(entry.userDayTotal)
  return digest.finish()
}
