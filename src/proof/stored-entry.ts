import type { Caps } from '../rules/caps.ts'
import type { Entry } from '../rules/entry.ts'
import { type ByteText, byteTextOf } from '../rules/field-digest.ts'
import { Damaged } from '../ledger/faults.ts'

/** An entry as it is fastest to read: flat, its salt and hash elsewhere. */
export type StoredEntry = Omit<Entry, 'caps' | 'salt' | 'commitment' | 'hash'> &
  Caps & {
    /** Of an entry whose person was erased. */
    commitment: ByteText | null
  }

/** Some hundred entries; and one behind the other, the salts of all (zeros of an erased one) and the hashes of all. */
export type EntryPage = { entries: StoredEntry[]; salts: Uint8Array; hashes: ByteText }

export const saltBytes = 16
export const hashBytes = 32
const noSalt = new Uint8Array(saltBytes)

export function entryPageOf(entries: Entry[]): EntryPage {
  return {
    entries: entries.map(({ caps, salt, hash, commitment, ...entry }) => {
      const isWhole = salt?.length === saltBytes && commitment === null
      const isErased = salt === null && commitment?.length === hashBytes
      if (hash.length !== hashBytes || !(isWhole || isErased)) throw malformed()
      return { ...entry, ...caps, commitment: commitment === null ? null : byteTextOf(commitment) }
    }),
    salts: Buffer.concat(entries.map(({ salt }) => salt ?? noSalt)),
    hashes: byteTextOf(Buffer.concat(entries.map(({ hash }) => hash))),
  }
}

/** Which is for the patient walk to name. */
export function malformed(): Damaged {
  return new Damaged('an entry has a value that no entry can have')
}
