import { createHash } from 'node:crypto'
import type { LedgerSnapshot } from '../../src/proof/ledger-snapshot.ts'
import { type DatabaseLocation, openSnapshot } from '../../src/stores/open.ts'

/** Reads the ledger at one instant, while the service writes it. */
export async function lookIntoLedger<T>(
  database: DatabaseLocation,
  read: (snapshot: LedgerSnapshot) => Promise<T>,
): Promise<T> {
  const snapshot = await openSnapshot(database)
  try {
    return await read(snapshot)
  } finally {
    await snapshot.close()
  }
}

/** The whole ledger as one hash: every entry, every account, every user's day. */
export async function dumpOf(snapshot: LedgerSnapshot): Promise<string> {
  const hash = createHash('sha256')
  for (const rows of [snapshot.entries(), snapshot.accounts(), snapshot.userDays()]) {
    for await (const chunk of rows) hash.update(JSON.stringify(chunk))
  }
  return hash.digest('hex')
}
