import type { Caps } from '../rules/caps.ts'
import type { AccountId } from '../rules/cursor.ts'
import type { Account, Entry } from '../rules/entry.ts'
import { entryHash } from '../rules/entry-hash.ts'
import { vietnamDay } from '../rules/vietnam-day.ts'

/** What the rules look at, beside the hash. */
type EntryNumbers = Pick<
  Entry,
  'seq' | 'rawAmount' | 'amountPerEp' | 'points' | 'awardedAt' | 'partnerDayTotal' | 'userDayTotal'
> &
  Caps

/** One link: checks an entry against the head before it and gives the head after it. */
export function verifyEntry(entry: Entry, before: Account): Account {
  const hashMatches = canBeHashed(entry) && isHash(entry.hash, entryHash(entry, before.headHash))
  const fault = faultIn({ ...entry, ...entry.caps }, before, hashMatches)
  if (fault !== null) throw faultOf(entry, fault)
  if (!isOfItsKinds(entry)) throw faultOf(entry, 'has a number where a text belongs, or a text for a number')
  if (!ascii.test(entry.userEmail))
    throw faultOf(entry, 'its user has an address that the service would refuse')
  const unbound = unboundFields(entry)
  if (unbound !== null) throw faultOf(entry, `${unbound}: its user, note and meta may have been changed`)
  const { seq, hash: headHash, awardedAt, partnerDayTotal: dayPoints } = entry
  return { seq, headHash, awardedAt, day: vietnamDay(awardedAt), dayPoints }
}

/** The fast pass weighs these only (fast/user-day-balance.ts): the two passes must not differ. */
const ascii = /^[\x00-\x7e]{0,256}$/

/**
 * Only the salt binds a person's fields to the hash. A commitment in its place is as true after they were changed, so it
 * is no proof of them; nothing in this program writes one.
 */
function unboundFields({ salt, commitment }: Entry): string | null {
  if (salt === null) return 'has no salt'
  return commitment === null ? null : 'has a commitment beside its salt'
}

/** A forged table may give anything. */
function canBeHashed({ salt, commitment }: Entry): boolean {
  return [salt, commitment].every((bytes: unknown) => bytes === null || bytes instanceof Uint8Array)
}

/** What is hashed reads the same; but an order that is kept as a number is not found again as a text. */
function isOfItsKinds({ note, meta, caps, salt, commitment, hash, ...entry }: Entry): boolean {
  const { partnerId, tenantId, epTransactionId, orderId, userEmail, ...numbers } = entry
  const texts = [partnerId, tenantId, epTransactionId, orderId, userEmail, note ?? '', meta ?? '']
  return (
    texts.every((text) => typeof text === 'string') &&
    Object.values({ ...numbers, ...caps }).every((number) => typeof number === 'number')
  )
}

/** What is wrong with an entry that follows this head, in words; null if nothing is. */
export function faultIn(
  entry: EntryNumbers,
  before: Omit<Account, 'headHash'>,
  hashMatches: boolean,
): string | null {
  const { points, amountPerEp, awardedAt, partnerDayTotal, userDayTotal } = entry
  if (entry.seq !== before.seq + 1) return `follows #${before.seq}: an entry is missing or out of order`
  if (!hashMatches) return 'its hash does not match: it or one before it was changed'
  if (!(awardedAt >= before.awardedAt)) return 'is older than the entry before it'
  const remainder = entry.rawAmount - points * amountPerEp
  if (!(points >= 1 && remainder >= 0 && remainder < amountPerEp)) {
    return 'its points are not floor(raw amount / rate)'
  }
  const total = points + (vietnamDay(awardedAt) === before.day ? before.dayPoints : 0)
  if (partnerDayTotal !== total) return `its partner-day total is ${partnerDayTotal}, not ${total}`
  if (!(points <= entry.perTx)) return `its ${points} EP exceed the perTx cap of ${entry.perTx}`
  if (!(partnerDayTotal <= entry.perPartnerDay)) {
    return `the day's ${partnerDayTotal} EP exceed the perPartnerDay cap of ${entry.perPartnerDay}`
  }
  if (!(userDayTotal <= entry.perUserDay)) {
    return `the user's ${userDayTotal} EP exceed the perUserDay cap of ${entry.perUserDay}`
  }
  return null
}

/** The end of a chain: checks the account's head and counter against what its entries came to. */
export function verifyHead(head: AccountId & Account, at: Account): void {
  const { seq, headHash, awardedAt, day, dayPoints } = head
  if (seq !== at.seq) throw new Fault(`${name(head)}: ends at #${at.seq} where its head says #${seq}`)
  if (!isHash(headHash, at.headHash)) {
    throw new Fault(`${name(head)}: its head has another hash than its last entry`)
  }
  if (awardedAt !== at.awardedAt || day !== at.day) {
    throw new Fault(`${name(head)}: its head has another time`)
  }
  if (dayPoints !== at.dayPoints) {
    throw new Fault(`${name(head)}: its day counter says ${dayPoints}, the entries add up to ${at.dayPoints}`)
  }
}

/** A ledger that is not sound; the message names the place. */
export class Fault extends Error {}

function faultOf(entry: Entry, fault: string): Fault {
  return new Fault(`${name(entry)} #${entry.seq} (${entry.epTransactionId}): ${fault}`)
}

export function name({ partnerId, tenantId }: AccountId): string {
  return `${partnerId}/${tenantId}`
}

/** `stored` may be of any type: the table may be forged. */
export function isHash(stored: unknown, expected: Uint8Array): boolean {
  return stored instanceof Uint8Array && Buffer.compare(stored, expected) === 0
}
