import { saltBytes } from '../../rules/entry.ts'
import { entryDigest, personalDigest } from '../../rules/entry-hash.ts'
import type { ByteText } from '../../shortcuts/field-digest.ts'
import { vietnamDay } from '../../rules/vietnam-day.ts'
import type { Chains } from './chains.ts'
import type { EntryPage } from './stored-entry.ts'
import type { UserDayBalance } from './user-day-balance.ts'
import { Fault, faultIn, name } from '../verify-entry.ts'

/**
 * Checks each entry against its account's chain, extends the chain, and adds the award to its user day. Each step runs
 * for the whole page before the next one, so that its code stays in the processor's caches.
 */
export function proveEntries(page: EntryPage, chains: Chains, balance: UserDayBalance): void {
  const { entries, salts, hashes } = page
  const chainOf = entries.map((entry) => chains.of(entry))
  // One buffer for every salt: creating one takes longer than copying some bytes.
  const salt = new Uint8Array(saltBytes)
  const commitments = entries.map((entry, index) => {
    for (let at = 0; at < saltBytes; at++) salt[at] = salts[index * saltBytes + at]!
    return personalDigest(entry, salt)
  })
  const digests: ByteText[] = []
  for (let index = 0; index < entries.length; index++) {
    const entry = entries[index]!
    const chain = chainOf[index]!
    const digest = entryDigest(entry, entry, chain.head, commitments[index]!, chain.accountFields)
    const fault = faultIn(entry, chain, true) // all hashes together, below
    if (fault !== null) throw new Fault(`${name(entry)} #${entry.seq}: ${fault}`)
    chain.seq = entry.seq
    chain.head = digest
    chain.awardedAt = entry.awardedAt
    chain.day = vietnamDay(entry.awardedAt)
    chain.dayPoints = entry.partnerDayTotal
    digests.push(digest)
  }
  if (digests.join('') !== hashes) throw new Fault(`a hash does not match: ${placeOf(page)}`)
  for (const entry of entries) balance.addAward(entry, vietnamDay(entry.awardedAt))
}

function placeOf({ entries }: EntryPage): string {
  const [first, last] = [entries[0]!, entries.at(-1)!]
  return `between ${name(first)} #${first.seq} and ${name(last)} #${last.seq}`
}
