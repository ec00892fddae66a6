import type { AccountId } from '../rules/cursor.ts'
import type { UserDay } from '../rules/decide-batch.ts'
import { type Account, type Entry, emptyAccount } from '../rules/entry.ts'
import { entryHash } from '../rules/entry-hash.ts'
import { vietnamDay } from '../rules/vietnam-day.ts'
import { Damaged } from './faults.ts'
import type { LedgerSnapshot, UserAward } from './ledger-snapshot.ts'

export type Verification = {
  sound: boolean
  entries: number
  accounts: number
  userDays: number
  fault: string | null
}

/** Called now and then with the share of the work that is done, from 0 to 1. */
export type OnProgress = (done: number) => void

/**
 * Proves a ledger from its entries alone: every chain re-walked (hashes, gapless seq, rising time), every conversion
 * recomputed, every total re-added, every cap compared with the total at that instant, every counter compared with
 * its sum. Stops at the first fault. Addresses do not appear in what it says.
 */
export async function verifyLedger(snapshot: LedgerSnapshot, onProgress: OnProgress): Promise<Verification> {
  const counts = { entries: 0, accounts: 0, userDays: 0 }
  const steps = 2 * (await snapshot.entryCount())
  let stepsDone = 0
  const advance = (entriesRead: number) => {
    stepsDone += entriesRead
    onProgress(steps === 0 ? 1 : Math.min(1, stepsDone / steps))
  }
  try {
    await verifyChains(snapshot, counts, advance)
    await verifyUserDays(snapshot, counts, advance)
    const twice = await snapshot.orderCreditedTwice()
    if (twice !== null)
      throw new Fault(`${twice.partnerId}: the order ${JSON.stringify(twice.orderId)} is credited twice`)
    return { sound: true, ...counts, fault: null }
  } catch (error) {
    if (!(error instanceof Fault || error instanceof Damaged)) throw error
    return { sound: false, ...counts, fault: error.message }
  }
}

/** A ledger that is not sound; the message names the place. */
export class Fault extends Error {}
type Counts = { entries: number; accounts: number; userDays: number }

async function verifyChains(snapshot: LedgerSnapshot, counts: Counts, advance: (steps: number) => void) {
  const heads = rowByRow(nonEmpty(snapshot.accounts()))
  let head = await heads.next()
  let at: Account = emptyAccount
  let id: AccountId | null = null

  async function closeAccount(): Promise<void> {
    if (id === null) return
    if (!head.done && comesBefore(accountOrder(head.value), accountOrder(id))) throw headOnly(head.value)
    if (head.done || !sameAccount(head.value, id)) throw new Fault(`${name(id)}: has entries but no head`)
    const { seq, headHash, awardedAt, day, dayPoints } = head.value
    if (seq !== at.seq) throw new Fault(`${name(id)}: ends at #${at.seq} where its head says #${seq}`)
    if (!sameBytes(headHash, at.headHash))
      throw new Fault(`${name(id)}: its head has another hash than its last entry`)
    if (awardedAt !== at.awardedAt || day !== at.day)
      throw new Fault(`${name(id)}: its head has another time`)
    if (dayPoints !== at.dayPoints) {
      throw new Fault(`${name(id)}: its day counter says ${dayPoints}, the entries add up to ${at.dayPoints}`)
    }
    counts.accounts++
    head = await heads.next()
  }

  for await (const chunk of snapshot.entries()) {
    for (const entry of chunk) {
      if (id === null || !sameAccount(entry, id)) {
        await closeAccount()
        id = { partnerId: entry.partnerId, tenantId: entry.tenantId }
        at = emptyAccount
      }
      at = verifyEntry(entry, at)
      counts.entries++
    }
    advance(chunk.length)
  }
  await closeAccount()
  if (!head.done) throw headOnly(head.value)
}

function headOnly(head: AccountId & Account): Fault {
  return new Fault(`${name(head)}: has a head at #${head.seq} but no entries`)
}

/** One link: checks an entry against the head before it and gives the head after it. */
export function verifyEntry(entry: Entry, before: Account): Account {
  const check = (holds: boolean, fault: string) => {
    if (!holds) throw new Fault(`${name(entry)} #${entry.seq} (${entry.epTransactionId}): ${fault}`)
  }
  const { rawAmount, amountPerEp, points, caps, partnerDayTotal, userDayTotal, awardedAt } = entry
  check(entry.seq === before.seq + 1, `follows #${before.seq}: an entry is missing or out of order`)
  check(
    sameBytes(entry.hash, entryHash(entry, before.headHash)),
    'its hash does not match: it or one before it was changed',
  )
  check(
    entry.commitment === null || entry.salt === null,
    'has a commitment beside its salt: its personal fields may have been changed behind it',
  )
  check(awardedAt >= before.awardedAt, 'is older than the entry before it')
  const remainder = rawAmount - points * amountPerEp
  check(
    points >= 1 && remainder >= 0 && remainder < amountPerEp,
    'its points are not floor(raw amount / rate)',
  )

  const day = vietnamDay(awardedAt)
  const usedBefore = day === before.day ? before.dayPoints : 0
  check(
    partnerDayTotal === usedBefore + points,
    `its partner-day total is ${partnerDayTotal}, not ${usedBefore + points}`,
  )
  check(points <= caps.perTx, `its ${points} EP exceed the perTx cap of ${caps.perTx}`)
  check(
    partnerDayTotal <= caps.perPartnerDay,
    `the day's ${partnerDayTotal} EP exceed the perPartnerDay cap of ${caps.perPartnerDay}`,
  )
  check(
    userDayTotal <= caps.perUserDay,
    `the user's ${userDayTotal} EP exceed the perUserDay cap of ${caps.perUserDay}`,
  )
  return { seq: entry.seq, headHash: entry.hash, awardedAt, day, dayPoints: partnerDayTotal }
}

async function verifyUserDays(snapshot: LedgerSnapshot, counts: Counts, advance: (steps: number) => void) {
  const counters = rowByRow(snapshot.userDays())
  let group: UserAward[] = []

  async function closeGroup(): Promise<void> {
    const [first] = group
    if (first === undefined) return
    const total = verifyUserDay(group)
    let counter = await counters.next()
    while (!counter.done && isZero(counter.value) && !isDayOf(counter.value, first)) {
      counter = await counters.next()
    }
    if (!counter.done && comesBefore(userDayOrder(counter.value), userDayOrder(dayOf(first))))
      throw counterOnly(counter.value)
    if (counter.done || !isDayOf(counter.value, first)) {
      throw new Fault(
        `${first.tenantId}: the counter of the user and day of ${first.epTransactionId} is missing`,
      )
    }
    if (counter.value.points !== total) {
      throw new Fault(
        `${first.tenantId}: the counter of the user and day of ${first.epTransactionId} says ${counter.value.points}, the entries add up to ${total}`,
      )
    }
    counts.userDays++
  }

  for await (const chunk of snapshot.userAwards()) {
    for (const award of chunk) {
      if (group[0] !== undefined && !sameUserDay(group[0], award)) {
        await closeGroup()
        group = []
      }
      group.push(award)
    }
    advance(chunk.length)
  }
  await closeGroup()
  let extra = await counters.next()
  while (!extra.done && isZero(extra.value)) extra = await counters.next()
  if (!extra.done) throw counterOnly(extra.value)
}

function counterOnly({ tenantId, day, points }: UserDay): Fault {
  return new Fault(`${tenantId}: a user's counter of ${points} EP on day ${day} has no entries`)
}

/**
 * Awards of several partners to one user have no common sequence, but every total is higher than the one before, so
 * in the order of their totals they must add up from zero without a gap.
 */
function verifyUserDay(group: UserAward[]): number {
  let total = 0
  for (const award of group.toSorted((a, b) => a.userDayTotal - b.userDayTotal)) {
    total += award.points
    if (award.userDayTotal !== total) {
      throw new Fault(
        `${award.tenantId} (${award.epTransactionId}): its user-day total is ${award.userDayTotal}, the entries add up to ${total}`,
      )
    }
  }
  return total
}

function name({ partnerId, tenantId }: AccountId): string {
  return `${partnerId}/${tenantId}`
}

function sameAccount(a: AccountId, b: AccountId): boolean {
  return a.partnerId === b.partnerId && a.tenantId === b.tenantId
}

function sameUserDay(a: UserAward, b: UserAward): boolean {
  return isDayOf(dayOf(a), b)
}

function dayOf({ tenantId, userEmail, awardedAt }: UserAward): Omit<UserDay, 'points'> {
  return { tenantId, userEmail, day: vietnamDay(awardedAt) }
}

function isDayOf(userDay: Omit<UserDay, 'points'>, award: UserAward): boolean {
  const { tenantId, userEmail, day } = userDay
  return tenantId === award.tenantId && userEmail === award.userEmail && day === vietnamDay(award.awardedAt)
}

type Order = (string | number)[]

function accountOrder({ partnerId, tenantId }: AccountId): Order {
  return [partnerId, tenantId]
}

function userDayOrder({ tenantId, userEmail, day }: Omit<UserDay, 'points'>): Order {
  return [tenantId, userEmail, day]
}

/** In the order of a snapshot's streams. Ids and addresses are ASCII, so theirs is the order of their bytes. */
function comesBefore(a: Order, b: Order): boolean {
  const at = a.findIndex((value, index) => value !== b[index])
  return at !== -1 && a[at]! < b[at]!
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0
}

/** A row that was made to be locked, and then not needed, says what no row says. */
async function* nonEmpty<T extends Account>(chunks: AsyncIterable<T[]>): AsyncGenerator<T[]> {
  for await (const chunk of chunks) yield chunk.filter((head) => !isEmpty(head))
}

function isEmpty({ seq, headHash, awardedAt, day, dayPoints }: Account): boolean {
  return seq + awardedAt + day + dayPoints === 0 && sameBytes(headHash, emptyAccount.headHash)
}

/** So does a counter of zero. */
function isZero({ points }: UserDay): boolean {
  return points === 0
}

async function* rowByRow<T>(chunks: AsyncIterable<T[]>): AsyncGenerator<T, undefined> {
  for await (const chunk of chunks) yield* chunk
}
