import type { LedgerSnapshot } from './ledger-snapshot.ts'
import type { Extent, OnProgress, Verification } from './verification.ts'
import { verifyLedger } from './verify.ts'

type Options = {
  /** Returns the callback for the progress of the next step. */
  progressOf(label: string): OnProgress
  /** Without it, only the ledger itself is proved. */
  allSteps?: boolean
}

/**
 * The whole of the command `verify`: proves the ledger, then takes the other steps. Stops at the first fault. If that is one
 * that a `verify` beside a server finds, too, the extent is no more than that.
 */
export async function verifyInSteps(
  ledger: LedgerSnapshot,
  { progressOf, allSteps = true }: Options,
): Promise<{ verification: Verification; extent: Extent }> {
  if (!allSteps)
    return { verification: await verifyLedger(ledger, progressOf('verifying')), extent: 'ledger' }
  // Before the entries are read, and only here: adding them up takes time.
  const reportSums = attempt(() => ledger.addUpReportSums())
  const verification = await verifyLedger(ledger, progressOf('verifying'))
  if (!verification.sound) return { verification, extent: 'indexes' }
  const reportSumsFault = reportSums()
  const storage = await ledger.checkStorage(progressOf('checking the database'))
  const notSound = (fault: string): Verification => ({ ...verification, sound: false, fault })
  if (storage.fault !== null) return { verification: notSound(storage.fault), extent: storage.extent }
  const sumsFault = reportSumsFault()
  if (sumsFault !== null) return { verification: notSound(sumsFault), extent: 'indexes' }
  return { verification, extent: storage.extent }
}

/** If a column is missing, that is the first fault, and not that something else cannot be read without it. */
function attempt<T>(work: () => T): () => T {
  try {
    const result = work()
    return () => result
  } catch (error) {
    return () => {
      throw error
    }
  }
}
