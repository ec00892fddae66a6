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
   * Before the last snapshot: reads the counters of finished days. Returns whether it did; if so, more entries may have been
   * added meanwhile. Call it until it returns false.
   */
  readFinished(): Promise<boolean>
  /** In the last snapshot: reads all other counters. Returns the number of counters. */
  readRest(): Promise<number>
}

const readsMax = 3

/**
 * Adds every counter to the balance. Counters of days before the latest day of any entry are read in short snapshots, the
 * others in the last snapshot. A day is finished when no new entry belongs to it, but that is not guaranteed: a clock
 * may jump back, and a node may be late at midnight. So the days of later entries are recorded. If one belongs to a day
 * whose counters were already read, those counters are read again.
 */
export function createCounterCheck(ledger: LedgerSnapshot, balance: UserDayBalance): CounterCheck {
  let latestDay = 0
  /** The earliest day of the entries that were read after the counters. */
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
      // Counters of finished days were changed since, or an index hid some.
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
