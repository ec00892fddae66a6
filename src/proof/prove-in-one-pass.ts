import type { UserDay } from '../rules/decide-batch.ts'
import { createChains } from './chains.ts'
import { Damaged } from '../ledger/faults.ts'
import type { LedgerSnapshot } from './ledger-snapshot.ts'
import { proveEntries } from './prove-entries.ts'
import { createUserDayBalance, type UserDayBalance } from './user-day-balance.ts'
import type { Counts } from './verify.ts'
import { nonEmpty } from './verify-chains.ts'
import { Fault, verifyHead } from './verify-entry.ts'

/**
 * Proves that a ledger is sound while reading its entries only once, in the order in which they are stored: the chains
 * grow side by side, and the users' days are weighed instead of sorted. Gives what was counted, or null, which is not
 * a verdict: then something is wrong, or a chain is not stored in its own order.
 */
export async function proveInOnePass(
  snapshot: LedgerSnapshot,
  advance: (entriesRead: number) => void,
): Promise<Counts | null> {
  const chains = createChains()
  const balance = createUserDayBalance()
  const counts = { entries: 0, accounts: 0, userDays: 0 }
  try {
    for await (const page of snapshot.entryPages()) {
      proveEntries(page, chains, balance)
      counts.entries += page.entries.length
      advance(page.entries.length)
    }
    for await (const chunk of nonEmpty(snapshot.accounts())) {
      for (const head of chunk) {
        const account = chains.take(head)
        if (account === null) throw new Fault('a head without entries')
        verifyHead(head, account)
      }
      counts.accounts += chunk.length
    }
    counts.userDays = await weighCounters(snapshot, balance)
  } catch (error) {
    if (!(error instanceof Fault || error instanceof Damaged)) throw error
    return null
  }
  const isSound = chains.isEmpty() && balance.isEven() && (await snapshot.orderCount()) === counts.entries
  return isSound ? counts : null
}

/** Gives how many there are, not counting those of zero, which say what no row says. Two of one day lie together. */
async function weighCounters(snapshot: LedgerSnapshot, balance: UserDayBalance): Promise<number> {
  let count = 0
  let before: UserDay | null = null
  for await (const chunk of snapshot.userDaysAsStored()) {
    for (const counter of chunk) {
      if (before !== null && sameUserDay(counter, before)) throw new Fault('two counters of one user and day')
      before = counter
      if (counter.points === 0) continue
      balance.addCounter(counter)
      count++
    }
  }
  return count
}

function sameUserDay(a: UserDay, b: UserDay): boolean {
  return a.day === b.day && a.userEmail === b.userEmail && a.tenantId === b.tenantId
}
