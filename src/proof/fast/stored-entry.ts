import { Damaged } from '../../ledger/errors.ts'
import type { Caps } from '../../rules/caps.ts'
import { type Entry, saltBytes } from '../../rules/entry.ts'
import { type ByteText, byteTextOf } from '../../shortcuts/field-digest.ts'

/** An entry as it is fastest to read: flat, its salt and hash elsewhere. It never has a commitment. */
export type StoredEntry = Omit<Entry, 'caps' | 'salt' | 'commitment' | 'hash'> & Caps

/** Some hundred entries; and one behind the other, the salts of all and the hashes of all. */
export type EntryPage = { entries: StoredEntry[]; salts: Uint8Array; hashes: ByteText }

export const hashBytes = 32

export function entryPageOf(entries: Entry[]): EntryPage {
  return {
    entries: entries.map(({ caps, salt, hash, commitment, ...entry }) => {
      if (salt?.length !== saltBytes || commitment !== null || hash?.length !== hashBytes) throw malformed()
      return { ...entry, ...caps }
    }),
    salts: Buffer.concat(entries.map(({ salt }) => salt!)),
    hashes: byteTextOf(Buffer.concat(entries.map(({ hash }) => hash))),
  }
}

/** The walk will say which entry it is. */
export function malformed(): Damaged {
  return new Damaged('an entry has a value that no entry can have')
}
