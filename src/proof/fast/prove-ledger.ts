import { Damaged } from '../../ledger/errors.ts'
import type { LedgerSnapshot } from '../ledger-snapshot.ts'
import type { ProvedCounts } from '../verification.ts'
import { Fault, name, verifyHead } from '../verify-entry.ts'
import { nonEmpty } from '../walk/walk-chains.ts'
import { type Chains, createChains } from './chains.ts'
import { createCounterCheck } from './counter-check.ts'
import { orderCreditedTwice } from './order-credited-twice.ts'
import { createOrderSet } from './order-set.ts'
import { proveEntries } from './prove-entries.ts'
import type { EntryPage, StoredEntry } from './stored-entry.ts'
import { createUserDayBalance } from './user-day-balance.ts'

export type AtTheEnd = () => Promise<void>
type Options = { advance(entriesRead: number): void; atTheEnd?: AtTheEnd }
type Proof = { counts: ProvedCounts; fault: null } | { fault: string }

/** With at most this many entries left to read, the last snapshot is short. */
const tailMax = 2_000
/** A bound, so that reading ends however many awards arrive meanwhile. */
const roundsMax = 10

/**
 * Proves that a ledger is sound, reading each entry only once, in storage order: all chains are followed at once, and
 * user days are compared by random weights instead of sorting (user-day-balance.ts). If the proof fails, `fault` names
 * the first problem it met; the walk gives a better description.
 *
 * Entries are never changed, so they need not be read at one instant: they are read in short snapshots until only few
 * are left, then the counters of days that are over. The last snapshot reads the rest: the newest entries, the heads and
 * the counters that may still change. What it sees is what is proved; every entry before was proved as it was when it was
 * read, and is linked to these heads by its hash.
 */
export async function proveLedger(
  ledger: LedgerSnapshot,
  { advance, atTheEnd = async () => {} }: Options,
): Promise<Proof> {
  const chains = createChains()
  const balance = createUserDayBalance()
  const orders = createOrderSet()
  const counters = createCounterCheck(ledger, balance)
  const pass = ledger.entryPass()
  let entries = 0

  async function readOn(betweenPages = async () => {}): Promise<number> {
    const before = entries
    for await (const page of pass()) {
      proveEntries(page, chains, balance)
      for (const entry of page.entries) orders.add(entry)
      counters.noteDays(page.entries)
      entries += page.entries.length
      advance(page.entries.length)
      await betweenPages()
    }
    return entries - before
  }
  async function catchUp(): Promise<void> {
    for (let round = 1; round <= roundsMax && (await readOn()) > tailMax; round++);
  }

  try {
    await readOn(ledger.rest)
    await catchUp() // without rests: awards may come faster than we would read
    while (await counters.readFinished()) await catchUp()
    return await ledger.atOneInstant(async () => {
      await readOn()
      const accounts = await compareHeads(ledger, chains)
      const userDays = await counters.readRest()
      if (!balance.isEven()) throw new Fault("the users' awards and their counters of the day do not add up")
      const rows = await ledger.entryRowCount()
      if (rows !== null && rows !== entries) {
        throw new Fault(`the table has ${rows} entries, and its primary key leads to ${entries}`)
      }
      const ownerless = await ledger.accountWithoutOwner()
      if (ownerless !== null) throw new Fault(`${name(ownerless)}: its partner or its tenant does not exist`)
      const twice = await orderCreditedTwice(orders, () => entriesOf(ledger.entryPass()()))
      if (twice !== null) throw new Fault(twice)
      await atTheEnd()
      return { counts: { entries, accounts, userDays }, fault: null }
    })
  } catch (error) {
    if (!(error instanceof Fault || error instanceof Damaged)) throw error
    return { fault: error.message }
  }
}

async function* entriesOf(pages: AsyncIterable<EntryPage>): AsyncGenerator<StoredEntry[]> {
  for await (const { entries } of pages) yield entries
}

/** Returns how many accounts there are. */
async function compareHeads(ledger: LedgerSnapshot, chains: Chains): Promise<number> {
  let count = 0
  for await (const chunk of nonEmpty(ledger.accounts())) {
    for (const head of chunk) {
      const account = chains.take(head)
      if (account === null) throw new Fault(`${name(head)}: a head without entries, or two heads`)
      verifyHead(head, account)
    }
    count += chunk.length
  }
  if (!chains.isEmpty()) throw new Fault('an account has entries but no head')
  return count
}
