import type { AccountId } from '../rules/cursor.ts'
import type { UserDay } from '../rules/decide-batch.ts'
import { type Account, emptyAccount } from '../rules/entry.ts'
import { Damaged } from './faults.ts'
import type { LedgerSnapshot } from './ledger-snapshot.ts'
import { createUserDayBalance, type UserDayBalance } from './user-day-balance.ts'
import type { Counts } from './verify.ts'
import { nonEmpty } from './verify-chains.ts'
import { Fault, verifyEntry, verifyHead } from './verify-entry.ts'

/**
 * Proves that a ledger is sound while reading its entries only once, in the order in which they are stored: the chains
 * grow side by side, and the users' days are weighed instead of sorted. Gives what was counted, or null, which is not
 * a verdict: then something is wrong, or a chain is not stored in its own order.
 */
export async function proveInOnePass(
  snapshot: LedgerSnapshot,
  advance: (entriesRead: number) => void,
): Promise<Counts | null> {
  const chains: Chains = new Map()
  const balance = createUserDayBalance()
  const counts = { entries: 0, accounts: 0, userDays: 0 }
  try {
    for await (const chunk of snapshot.entriesAsStored()) {
      for (const entry of chunk) {
        const chain = chainOf(chains, entry)
        chain.head = verifyEntry(entry, chain.head)
        balance.addAward(entry, chain.head.day)
      }
      counts.entries += chunk.length
      advance(chunk.length)
    }
    for await (const chunk of nonEmpty(snapshot.accounts())) {
      for (const head of chunk) verifyHead(head, takeOut(chains, head).head)
      counts.accounts += chunk.length
    }
    counts.userDays = await weighCounters(snapshot, balance)
  } catch (error) {
    if (!(error instanceof Fault || error instanceof Damaged)) throw error
    return null
  }
  const allHaveHeads = chains.values().every((ofPartner) => ofPartner.size === 0)
  const isSound = allHaveHeads && balance.isEven() && (await snapshot.orderCreditedTwice()) === null
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

/** How far each chain has grown: one small object for each account. */
type Chains = Map<string, Map<string, { head: Account }>>

function chainOf(chains: Chains, { partnerId, tenantId }: AccountId): { head: Account } {
  const known = chains.get(partnerId)?.get(tenantId)
  if (known !== undefined) return known
  const chain = { head: emptyAccount }
  if (!chains.has(partnerId)) chains.set(partnerId, new Map())
  chains.get(partnerId)!.set(tenantId, chain)
  return chain
}

function takeOut(chains: Chains, { partnerId, tenantId }: AccountId): { head: Account } {
  const chain = chains.get(partnerId)?.get(tenantId)
  if (chain === undefined) throw new Fault('a head without entries')
  chains.get(partnerId)!.delete(tenantId)
  return chain
}
