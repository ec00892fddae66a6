import type { UserDay } from '../../rules/decide-batch.ts'
import { vietnamDay } from '../../rules/vietnam-day.ts'
import type { Days, LedgerSnapshot } from '../ledger-snapshot.ts'
import { Fault } from '../verify-entry.ts'
import type { StoredEntry } from './stored-entry.ts'
import type { UserDayBalance } from './user-day-balance.ts'

type CounterCheck = {
  /** Called with the entries as they are read. */
  noteDays(entries: StoredEntry[]): void
  /**
   * Outside of the last snapshot: reads the counters of days that are over. Returns whether it did; if so, more entries may
   * have come in the meantime. Call it until it gives false.
   */
  readFinished(): Promise<boolean>
  /** In the last snapshot: reads all others. Returns how many counters there are. */
  readRest(): Promise<number>
}

const readsMax = 3

/**
 * Puts every counter of a user's day into the balance: in short snapshots those of days before the latest day that any
 * entry has, in the last snapshot the others. A day is over when no new entry belongs to it. Nobody promises that: a
 * clock may jump back, and a node may be late at midnight. So the days of entries that come later are noted, and where
 * one belongs to a day whose counters were read, they are read again.
 */
export function createCounterCheck(ledger: LedgerSnapshot, balance: UserDayBalance): CounterCheck {
  let latestDay = 0
  /** Of the entries that were read since the counters were. */
  let earliestDay = Number.POSITIVE_INFINITY
  /** Counters of days before this one are in the balance, `finishedCount` of them. */
  let finishedBefore = 0
  let finishedCount = 0
  let reads = 0

  async function read(days: Days): Promise<number> {
    let count = 0
    let before: UserDay | null = null
    for await (const chunk of ledger.userDaysOf(days)) {
      for (const counter of chunk) {
        if (before !== null && !isBefore(before, counter)) {
          throw new Fault(`${counter.tenantId}: two counters of one user and day, or counters out of order`)
        }
        before = counter
        if (counter.points === 0) continue // zero equals absent
        balance.addCounter(counter)
        count++
      }
    }
    return count
  }
  function forget(): void {
    balance.forgetCounters()
    finishedBefore = 0
    finishedCount = 0
  }

  return {
    noteDays(entries) {
      for (const { awardedAt } of entries) {
        const day = vietnamDay(awardedAt)
        if (day > latestDay) latestDay = day
        if (day < earliestDay) earliestDay = day
      }
    },
    async readFinished() {
      const isFirst = reads === 0
      if (reads === readsMax || !(isFirst || earliestDay < finishedBefore)) return false
      const before = isFirst ? latestDay : earliestDay
      forget()
      reads++
      earliestDay = Number.POSITIVE_INFINITY
      finishedCount = await read({ before })
      finishedBefore = before
      return true
    },
    async readRest() {
      if (earliestDay < finishedBefore) forget()
      const rows = await ledger.userDayCount()
      const count = finishedCount + (await read({ from: finishedBefore }))
      if (count === rows) return count
      // Counters of days that were over have been changed since, or an index hid some.
      forget()
      const all = await read({})
      if (all === rows) return all
      throw new Fault(`the table has ${rows} counters of users' days, and its key leads to ${all}`)
    },
  }
}

/** Of counters in the order of their key. Ids and addresses are ASCII, so theirs is the order of their bytes. */
function isBefore(a: UserDay, b: UserDay): boolean {
  if (a.tenantId !== b.tenantId) return a.tenantId < b.tenantId
  if (a.userEmail !== b.userEmail) return a.userEmail < b.userEmail
  return a.day < b.day
}
