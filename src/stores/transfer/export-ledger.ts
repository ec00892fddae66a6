import { createHash } from 'node:crypto'
import { Damaged } from '../../ledger/faults.ts'
import { type OnProgress, verifyLedger } from '../../proof/verify.ts'
import type { StoreSnapshot } from '../store.ts'
import { carriedKinds } from './carried-tables.ts'
import { type Counts, closingLine, headerLine, noRows, rowLine } from './export-format.ts'

/** Of the time that it takes. */
const verifyShare = 0.6

/**
 * Everything there is at one instant, as text in pieces of many lines: whoever reads them slowly holds up the reading
 * of the database, so memory stays flat. `onEnd` is told what was written.
 *
 * The ledger is proved first, in the same instant: heads and counters are not carried, and one that lacks its last
 * entries would be whole again on the other side.
 */
export async function* exportLedger(
  snapshot: StoreSnapshot,
  { onProgress, onEnd }: { onProgress: OnProgress; onEnd(counts: Counts): void },
): AsyncGenerator<string> {
  const { sound, fault, entries } = await verifyLedger(snapshot, (done) => onProgress(done * verifyShare))
  if (!sound) throw new Damaged(`nothing was exported, because the ledger is not sound: ${fault}`)

  const counts = { ...noRows }
  const digest = createHash('sha256')

  digest.update(headerLine())
  yield headerLine()
  for (const kind of carriedKinds) {
    for await (const rows of snapshot.rows(kind)) {
      if (rows.length === 0) continue
      const text = rows.map((row) => rowLine(kind, row)).join('')
      digest.update(text)
      counts[kind] += rows.length
      yield text
      if (kind === 'entry') onProgress(verifyShare + (1 - verifyShare) * (counts.entry / entries))
    }
  }
  yield closingLine({ counts, sha256: digest.digest('hex') })
  onEnd(counts)
}
