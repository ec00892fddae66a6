import type { LedgerSnapshot } from './ledger-snapshot.ts'
import type { OnProgress, Verification } from './verification.ts'
import { verifyLedger } from './verify.ts'

type Step = {
  /** What is being done, in the words of a progress bar. */
  label: string
  /** What is wrong, in words; null if nothing is. */
  fault(ledger: LedgerSnapshot, onProgress: OnProgress): Promise<string | null>
}

/** What `verify` looks at beside the proof of the ledger, in this order. */
const steps: Step[] = [
  {
    label: 'checking the database',
    fault: (ledger, onProgress) => ledger.storageFault(onProgress),
  },
  {
    label: 'comparing the sums of reports',
    fault: (ledger) => ledger.reportSumsFault(),
  },
]

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
  const verification = await verifyLedger(ledger, progressOf('verifying'))
  if (!verification.sound || !allSteps) return verification
  for (const { label, fault } of steps) {
    const found = await fault(ledger, progressOf(label))
    if (found !== null) return { ...verification, sound: false, fault: found }
  }
  return verification
}
