import type { UserDay } from '../../rules/decide-batch.ts'
import { vietnamDay } from '../../rules/vietnam-day.ts'
import { isBefore, rowByRow } from './in-order.ts'
import type { LedgerSnapshot, UserAward } from '../ledger-snapshot.ts'
import type { ProvedCounts } from '../verification.ts'
import { Fault } from '../verify-entry.ts'

/** The awards to every user on every day re-added, user after user, beside the counters. */
export async function walkUserDays(
  snapshot: LedgerSnapshot,
  counts: ProvedCounts,
  advance: (entriesRead: number) => void,
) {
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
    if (!counter.done && isBefore(userDayOrder(counter.value), userDayOrder(dayOf(first))))
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

function userDayOrder({ tenantId, userEmail, day }: Omit<UserDay, 'points'>): (string | number)[] {
  return [tenantId, userEmail, day]
}

/** A counter of zero equals an absent one. */
function isZero({ points }: UserDay): boolean {
  return points === 0
}
