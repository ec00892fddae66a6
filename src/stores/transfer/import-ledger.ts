import { systemClock } from '../../clock.ts'
import { Damaged } from '../../ledger/errors.ts'
import { type OnProgress, type Verification, verifyLedger } from '../../proof/verify.ts'
import { Fault, verifyEntry } from '../../proof/verify-entry.ts'
import { type Account, emptyAccount } from '../../rules/entry.ts'
import { chainLegacyAudit, type LegacyRow } from '../chain-legacy-audit.ts'
import { type EntryRow, entryOf } from '../entry-row.ts'
import type { ImportTarget, Store } from '../store.ts'
import type { ExportKey, RowCounts } from './export-format.ts'
import { type OpenedExport, type RowChunk, readExport } from './read-export.ts'

export type Imported = { counts: RowCounts; verification: Verification }

/**
 * Loads an export into an empty database, rebuilds the counters from the entries, and proves the result as `verify`
 * does, all in one transaction: whatever is wrong, the database stays empty.
 */
export async function importLedger(
  store: Store,
  file: OpenedExport,
  { key, onVerified }: { key: ExportKey; onVerified: OnProgress },
): Promise<Imported> {
  return store.importInto(async (target) => {
    const counts = await insertRows(target, file, key)
    await target.rebuildCounters()
    const verification = await verifyLedger(target.snapshot, onVerified)
    if (!verification.sound) throw new Damaged(`the ledger in it is not sound: ${verification.fault}`)
    return { counts, verification }
  })
}

async function insertRows(target: ImportTarget, file: OpenedExport, key: ExportKey): Promise<RowCounts> {
  const checkChain = chainCheck()
  const chunks = readExport(file)
  const legacyAudit = chainLegacyAudit()
  let isLegacy = true
  for (;;) {
    const next = await chunks.next()
    if (next.done) {
      if (isLegacy) await insertSettings(target, legacyAudit)
      return next.value
    }
    const { kind, rows } = next.value
    if (kind === 'defaults') isLegacy = false
    if (kind === 'entry') checkChain(next.value)
    if (kind === 'keepsake') {
      for (const { name, value } of rows) key.checkStoredValue(name as string, value as Uint8Array)
    }
    const chained = kind === 'audit' && isLegacy
    await insert(
      target,
      chained ? { ...next.value, rows: rows.map((row) => legacyAudit.row(row as LegacyRow)) } : next.value,
    )
  }
}

/** A file of the first format does not say how every setting came about: the chain begins with how they are. */
async function insertSettings(
  target: ImportTarget,
  legacyAudit: ReturnType<typeof chainLegacyAudit>,
): Promise<void> {
  const settings = (await target.snapshot.settings()).filter(({ subject }) => subject !== 'defaults')
  await target.insert('audit', legacyAudit.rowsOfSettings(settings, systemClock.now()))
}

/** What the tables themselves refuse (a key without its partner, an order twice) is somewhere in these lines. */
async function insert(target: ImportTarget, { kind, rows, firstLine }: RowChunk): Promise<void> {
  try {
    await target.insert(kind, rows)
  } catch (error) {
    const lines = `lines ${firstLine} to ${firstLine + rows.length - 1}`
    throw new Damaged(`${lines} cannot be loaded: ${(error as Error).message}`, { cause: error })
  }
}

/** Walks the chains as they come by, because here a fault still has its line. */
function chainCheck(): (chunk: RowChunk) => void {
  let head: Account = emptyAccount
  let account = ''
  return ({ rows, firstLine }) => {
    for (const [index, row] of rows.entries()) {
      const entry = entryOf(row as EntryRow)
      const accountOfEntry = `${entry.partnerId} ${entry.tenantId}`
      if (accountOfEntry !== account) head = emptyAccount
      account = accountOfEntry
      try {
        head = verifyEntry(entry, head)
      } catch (error) {
        if (!(error instanceof Fault)) throw error
        throw new Damaged(`line ${firstLine + index}: ${error.message}`)
      }
    }
  }
}
