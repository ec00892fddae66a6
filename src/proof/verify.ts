import { Damaged } from '../ledger/faults.ts'
import type { LedgerSnapshot } from './ledger-snapshot.ts'
import { proveInOnePass } from './prove-in-one-pass.ts'
import { verifyChains } from './verify-chains.ts'
import { Fault } from './verify-entry.ts'
import { verifyUserDays } from './verify-user-days.ts'

export type Counts = { entries: number; accounts: number; userDays: number }
export type Verification = Counts & { sound: boolean; fault: string | null }

/** Called now and then with the share of the work that is done, from 0 to 1. */
export type OnProgress = (done: number) => void

/**
 * Proves a ledger from its entries alone: every chain re-walked (hashes, gapless seq, rising time), every conversion
 * recomputed, every total re-added, every cap compared with the total at that instant, every counter compared with
 * its sum. Stops at the first fault. Addresses do not appear in what it says.
 *
 * A sound ledger is proved in one pass. Where that does not succeed, the patient walk, account after account and user
 * after user, finds the first fault and names it.
 */
export async function verifyLedger(snapshot: LedgerSnapshot, onProgress: OnProgress): Promise<Verification> {
  const entryCount = await snapshot.entryCount()
  const show = neverBack(onProgress)
  const counts = await proveInOnePass(snapshot, progressOver(entryCount, show))
  if (counts !== null) return { sound: true, ...counts, fault: null }
  return walk(snapshot, progressOver(2 * entryCount, show))
}

async function walk(snapshot: LedgerSnapshot, advance: (entriesRead: number) => void): Promise<Verification> {
  const counts = { entries: 0, accounts: 0, userDays: 0 }
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

function progressOver(steps: number, onProgress: OnProgress): (entriesRead: number) => void {
  let stepsDone = 0
  return (entriesRead) => {
    stepsDone += entriesRead
    onProgress(steps === 0 ? 1 : Math.min(1, stepsDone / steps))
  }
}

function neverBack(onProgress: OnProgress): OnProgress {
  let shown = 0
  return (done) => {
    shown = Math.max(shown, done)
    onProgress(shown)
  }
}
