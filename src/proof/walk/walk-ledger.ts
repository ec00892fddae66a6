import { Damaged } from '../../ledger/errors.ts'
import { orderCreditedTwice } from '../fast/order-credited-twice.ts'
import { createOrderSet } from '../fast/order-set.ts'
import type { LedgerSnapshot } from '../ledger-snapshot.ts'
import type { ProvedCounts } from '../verification.ts'
import { Fault, name } from '../verify-entry.ts'
import { walkChains } from './walk-chains.ts'
import { walkUserDays } from './walk-user-days.ts'

type Walked = { counts: ProvedCounts; fault: string | null }

/**
 * The plain proof: account after account, then user after user, each compared with its head or counter. It takes longer
 * than the fast pass and holds one snapshot for all of it, but it can say which entry is wrong, and how.
 */
export async function walkLedger(
  ledger: LedgerSnapshot,
  advance: (entriesRead: number) => void,
): Promise<Walked> {
  const counts = { entries: 0, accounts: 0, userDays: 0 }
  try {
    await ledger.atOneInstant(async () => {
      await walkChains(ledger, counts, advance)
      await walkUserDays(ledger, counts, advance)
      await walkOrders(ledger)
      const ownerless = await ledger.accountWithoutOwner()
      if (ownerless !== null) throw new Fault(`${name(ownerless)}: its partner or its tenant does not exist`)
    })
    return { counts, fault: null }
  } catch (error) {
    if (!(error instanceof Fault || error instanceof Damaged)) throw error
    return { counts, fault: error.message }
  }
}

async function walkOrders(ledger: LedgerSnapshot): Promise<void> {
  const orders = createOrderSet()
  for await (const chunk of ledger.entries()) for (const entry of chunk) orders.add(entry)
  const twice = await orderCreditedTwice(orders, () => ledger.entries())
  if (twice !== null) throw new Fault(twice)
}
