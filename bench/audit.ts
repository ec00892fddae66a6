import { readConfig } from '../src/config.ts'
import { verifyLedger } from '../src/proof/verify.ts'
import { openSnapshot } from '../src/stores/open.ts'
import type { Deployment } from './deployment.ts'

/** Is every acknowledged award in the ledger, and nothing else, and is the ledger sound? Returns what is wrong. */
export async function audit({ environment, acknowledged }: Deployment, before = 0): Promise<string[]> {
  const snapshot = await openSnapshot(readConfig(environment).database)
  try {
    const { sound, entries, fault } = await verifyLedger(snapshot, () => {})
    if (!sound) return [`the ledger is not sound: ${fault}`]
    if (entries === before + acknowledged) return []
    return [`the ledger has ${entries - before} new entries where ${acknowledged} were acknowledged`]
  } finally {
    await snapshot.close()
  }
}
