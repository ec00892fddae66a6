import type { AccountId } from '../rules/cursor.ts'
import type { Account, Entry } from '../rules/entry.ts'
import { entryHash } from '../rules/entry-hash.ts'
import { vietnamDay } from '../rules/vietnam-day.ts'

/** One link: checks an entry against the head before it and gives the head after it. */
export function verifyEntry(entry: Entry, before: Account): Account {
  const { rawAmount, amountPerEp, points, caps, partnerDayTotal, userDayTotal, awardedAt } = entry
  if (entry.seq !== before.seq + 1) {
    throw faultOf(entry, `follows #${before.seq}: an entry is missing or out of order`)
  }
  if (!sameBytes(entry.hash, entryHash(entry, before.headHash))) {
    throw faultOf(entry, 'its hash does not match: it or one before it was changed')
  }
  if (entry.commitment !== null && entry.salt !== null) {
    throw faultOf(
      entry,
      'has a commitment beside its salt: its personal fields may have been changed behind it',
    )
  }
  if (!(awardedAt >= before.awardedAt)) throw faultOf(entry, 'is older than the entry before it')
  const remainder = rawAmount - points * amountPerEp
  if (!(points >= 1 && remainder >= 0 && remainder < amountPerEp)) {
    throw faultOf(entry, 'its points are not floor(raw amount / rate)')
  }

  const day = vietnamDay(awardedAt)
  const usedBefore = day === before.day ? before.dayPoints : 0
  if (partnerDayTotal !== usedBefore + points) {
    throw faultOf(entry, `its partner-day total is ${partnerDayTotal}, not ${usedBefore + points}`)
  }
  if (!(points <= caps.perTx)) {
    throw faultOf(entry, `its ${points} EP exceed the perTx cap of ${caps.perTx}`)
  }
  if (!(partnerDayTotal <= caps.perPartnerDay)) {
    throw faultOf(
      entry,
      `the day's ${partnerDayTotal} EP exceed the perPartnerDay cap of ${caps.perPartnerDay}`,
    )
  }
  if (!(userDayTotal <= caps.perUserDay)) {
    throw faultOf(entry, `the user's ${userDayTotal} EP exceed the perUserDay cap of ${caps.perUserDay}`)
  }
  return { seq: entry.seq, headHash: entry.hash, awardedAt, day, dayPoints: partnerDayTotal }
}

/** The end of a chain: checks the account's head and counter against what its entries came to. */
export function verifyHead(head: AccountId & Account, at: Account): void {
  const { seq, headHash, awardedAt, day, dayPoints } = head
  if (seq !== at.seq) throw new Fault(`${name(head)}: ends at #${at.seq} where its head says #${seq}`)
  if (!sameBytes(headHash, at.headHash)) {
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

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0
}
