import { Damaged } from '../ledger/errors.ts'
import type { LedgerSnapshot } from './ledger-snapshot.ts'
import { type AtTheEnd, proveLedger } from './fast/prove-ledger.ts'
import type { OnProgress, Verification } from './verification.ts'
import { walkLedger } from './walk/walk-ledger.ts'
import { verifyAudit } from './verify-audit.ts'
import { Fault } from './verify-entry.ts'

export type { OnProgress, Verification } from './verification.ts'

/**
 * Proves a ledger from its entries: every chain re-walked (hashes, gapless seq, rising time), every conversion
 * recomputed, every total re-added, every cap compared with the total at that instant, every counter compared with
 * its sum, no order credited twice; and the audit trail, with the settings that it
 * leads to. Stops at the first fault. Addresses do not appear in what it says.
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
  if (layoutFault === null) return verifyRows(ledger, onProgress, { layoutFault, atTheEnd })
  try {
    return await verifyRows(ledger, onProgress, { layoutFault, atTheEnd })
  } catch {
    // A table or a column may be missing, and then the rows cannot be read. That is the fault.
    return { entries: 0, accounts: 0, userDays: 0, sound: false, fault: layoutFault }
  }
}

async function verifyRows(
  ledger: LedgerSnapshot,
  onProgress: OnProgress,
  { layoutFault, atTheEnd }: { layoutFault: string | null; atTheEnd: AtTheEnd },
): Promise<Verification> {
  const entryCount = await ledger.entryCount()
  const show = neverBack(onProgress)
  let auditFault: string | null = null
  async function afterEntries(): Promise<void> {
    auditFault = await faultOfAudit(ledger)
    await atTheEnd()
  }
  const advance = progressOver(entryCount, show)
  const proof = await proveLedger(ledger, { advance, atTheEnd: afterEntries })
  if (proof.fault === null) {
    const fault = layoutFault ?? auditFault
    return { ...proof.counts, sound: fault === null, fault }
  }
  const { counts, fault } = await walkLedger(ledger, progressOver(2 * entryCount, show))
  return { ...counts, sound: false, fault: fault ?? layoutFault ?? withoutName(proof.fault) }
}

async function faultOfAudit(ledger: LedgerSnapshot): Promise<string | null> {
  try {
    await verifyAudit(ledger)
    return null
  } catch (error) {
    if (!(error instanceof Fault || error instanceof Damaged)) throw error
    return error.message
  }
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
