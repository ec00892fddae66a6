import { entryDigest, personalDigest } from '../rules/entry-hash.ts'
import { vietnamDay } from '../rules/vietnam-day.ts'
import type { Chains } from './chains.ts'
import { type EntryPage, hashBytes, saltBytes } from './stored-entry.ts'
import type { UserDayBalance } from './user-day-balance.ts'
import { Fault, faultIn } from './verify-entry.ts'

/**
 * Checks each entry against the chain of its account, takes the chain on, and puts the user's day into the balance. One
 * thing after the other for the whole page: so its code stays in the processor's caches.
 */
export function proveEntries({ entries, hashes }: EntryPage, chains: Chains, balance: UserDayBalance): void {
  const chainOf = entries.map((entry) => chains.of(entry))
  const commitments = entries.map((entry, index) => {
    const saltAt = index * bytesOfEach
    return entry.commitment ?? personalDigest(entry, hashes.slice(saltAt, saltAt + saltBytes))
  })
  for (const [index, entry] of entries.entries()) {
    const hashAt = index * bytesOfEach + saltBytes
    const chain = chainOf[index]!
    const hash = entryDigest(entry, entry, chain.head, commitments[index]!)
    const fault = faultIn(entry, chain, hash === hashes.slice(hashAt, hashAt + hashBytes))
    if (fault !== null) throw new Fault(fault)
    chain.seq = entry.seq
    chain.head = hash
    chain.awardedAt = entry.awardedAt
    chain.day = vietnamDay(entry.awardedAt)
    chain.dayPoints = entry.partnerDayTotal
  }
  for (const entry of entries) balance.addAward(entry, vietnamDay(entry.awardedAt))
}

const bytesOfEach = saltBytes + hashBytes
