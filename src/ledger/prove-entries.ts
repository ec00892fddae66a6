import { entryDigest, personalDigest } from '../rules/entry-hash.ts'
import { vietnamDay } from '../rules/vietnam-day.ts'
import type { Chains } from './chains.ts'
import { type EntryPage, hashBytes, saltBytes } from './stored-entry.ts'
import type { UserDayBalance } from './user-day-balance.ts'
import { Fault, faultIn } from './verify-entry.ts'

/** Checks each entry against the chain of its account, takes the chain on, and puts the user's day into the balance. */
export function proveEntries({ entries, hashes }: EntryPage, chains: Chains, balance: UserDayBalance): void {
  let at = 0
  for (const entry of entries) {
    const salt = hashes.slice(at, at + saltBytes)
    const storedHash = hashes.slice(at + saltBytes, at + saltBytes + hashBytes)
    at += saltBytes + hashBytes
    const chain = chains.of(entry)
    const commitment = entry.commitment ?? personalDigest(entry, salt)
    const hash = entryDigest(entry, entry, chain.head, commitment)
    const fault = faultIn(entry, chain, hash === storedHash)
    if (fault !== null) throw new Fault(fault)
    chain.seq = entry.seq
    chain.head = hash
    chain.awardedAt = entry.awardedAt
    chain.day = vietnamDay(entry.awardedAt)
    chain.dayPoints = entry.partnerDayTotal
    balance.addAward(entry, chain.day)
  }
}
