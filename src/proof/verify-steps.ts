import type { LedgerSnapshot } from './ledger-snapshot.ts'
import type { OnProgress, Verification } from './verification.ts'
import { verifyLedger } from './verify.ts'

type Options = {
  /** Returns the callback for the progress of the next step. */
  progressOf(label: string): OnProgress
  /** Without it, only the ledger itself is proved. */
  allSteps?: boolean
}

/** The whole of the command `verify`: proves the ledger, then takes the other steps. Stops at the first fault. */
export async function verifyInSteps(
  ledger: LedgerSnapshot,
  { progressOf, allSteps = true }: Options,
): Promise<Verification> {
  if (!allSteps) return verifyLedger(ledger, progressOf('verifying'))
  // Before the entries are read, and only here: adding them up takes time.
  const reportSumsFault = ledger.addUpReportSums()
  const verification = await verifyLedger(ledger, progressOf('verifying'))
  if (!verification.sound) return verification
  const fault = (await ledger.storageFault(progressOf('checking the database'))) ?? reportSumsFault()
  return fault === null ? verification : { ...verification, sound: false, fault }
}
