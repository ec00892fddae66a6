import type { LedgerSnapshot } from './ledger-snapshot.ts'
import { type AtTheEnd, proveLedger } from './fast/prove-ledger.ts'
import type { OnProgress, Verification } from './verification.ts'
import { walkLedger } from './walk/walk-ledger.ts'

export type { OnProgress, Verification } from './verification.ts'

/**
 * Proves a ledger from its entries alone: every chain re-walked (hashes, gapless seq, rising time), every conversion
 * recomputed, every total re-added, every cap compared with the total at that instant, every counter compared with
 * its sum, no order credited twice. Stops at the first fault. Addresses do not appear in what it says.
 *
 * The fast pass proves a sound ledger. Where it fails, the plain walk, account after account and user after user, names
 * the first fault. A walk that finds none does not make the ledger sound: then what is read depends on how it is read.
 *
 * `atTheEnd` runs at the instant that was proved.
 */
export async function verifyLedger(
  ledger: LedgerSnapshot,
  onProgress: OnProgress,
  atTheEnd: AtTheEnd = async () => {},
): Promise<Verification> {
  const layoutFault = await ledger.layoutFault()
  const entryCount = await ledger.entryCount()
  const show = neverBack(onProgress)
  const proof = await proveLedger(ledger, { advance: progressOver(entryCount, show), atTheEnd })
  if (proof.fault === null) return { ...proof.counts, sound: layoutFault === null, fault: layoutFault }
  const { counts, fault } = await walkLedger(ledger, progressOver(2 * entryCount, show))
  return { ...counts, sound: false, fault: fault ?? layoutFault ?? withoutName(proof.fault) }
}

function withoutName(fault: string): string {
  return (
    `the fast pass failed (${fault}), and the walk, which reads in another order, found no fault: ` +
    'the database, an index or the order of its rows is damaged. ' +
    "Restore a backup; to look closer, run SQLite's integrity check (PRAGMA integrity_check) or PostgreSQL's amcheck"
  )
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
