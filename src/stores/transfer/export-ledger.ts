import { Damaged } from '../../ledger/errors.ts'
import { type OnProgress, verifyLedger } from '../../proof/verify.ts'
import type { AccountRow } from '../snapshot-queries.ts'
import type { StoreSnapshot } from '../store.ts'
import { type CarriedKind, carriedKinds, carriedTables, type Row } from './carried-tables.ts'
import { rowProblem } from './row-rules.ts'
import { checkedAgainstHeads } from './checked-against-heads.ts'
import {
  type RowCounts,
  closingLine,
  type ExportKey,
  headerLine,
  macOf,
  noRows,
  rowLine,
} from './export-format.ts'

/** Of the time that it takes. */
const verifyShare = 0.6

type Options = { key: ExportKey; onProgress: OnProgress; onEnd(counts: RowCounts): void }

/**
 * Everything there is at one instant, as text in pieces of many lines: a slow reader delays the reading
 * of the database, so memory stays flat. `onEnd` receives what was written.
 *
 * The ledger is proved first: heads and counters are not carried, and one that lacks its last entries would be whole
 * again on the other side. The instant is the one that was proved. What operators have set is read there and kept; the
 * entries up to its heads do not change any more, so they are read afterwards, in short snapshots.
 */
export async function* exportLedger(
  ledger: StoreSnapshot,
  { key, onProgress, onEnd }: Options,
): AsyncGenerator<string> {
  const heads: AccountRow[] = []
  const settings = new Map<CarriedKind, Row[]>()
  const { sound, fault, entries } = await verifyLedger(
    ledger,
    (done) => onProgress(done * verifyShare),
    async () => {
      for await (const chunk of ledger.accounts()) heads.push(...chunk)
      for (const kind of settingKinds) settings.set(kind, (await Array.fromAsync(ledger.rows(kind))).flat())
    },
  )
  if (!sound) throw new Damaged(`nothing was exported, because the ledger is not sound: ${fault}`)

  assertImportable(settings)

  const counts = { ...noRows }
  const digest = macOf(key)
  function linesOf(kind: CarriedKind, rows: Row[]): string {
    const text = rows.map((row) => rowLine(kind, row)).join('')
    digest.update(text)
    counts[kind] += rows.length
    return text
  }

  for (const { name, value } of settings.get('keepsake')!)
    key.checkStoredValue(name as string, value as Uint8Array)

  const header = headerLine(key)
  digest.update(header)
  yield header
  for (const kind of carriedKinds) {
    if (kind !== 'entry') {
      yield linesOf(kind, settings.get(kind)!)
      continue
    }
    const ranges = heads.map(({ partnerId, tenantId, seq }) => ({ partnerId, tenantId, after: 0, upTo: seq }))
    for await (const rows of checkedAgainstHeads(ledger.entryRows(ranges), heads)) {
      yield linesOf(kind, rows as Row[])
      onProgress(verifyShare + (1 - verifyShare) * (counts.entry / entries))
    }
  }
  yield closingLine({ counts, seal: digest.digest('hex') })
  onEnd(counts)
}

/** What the trail does not prove, such as the form of a key's hash. The file would be no backup. */
function assertImportable(settings: Map<CarriedKind, Row[]>): void {
  for (const [kind, rows] of settings) {
    for (const row of rows) {
      const problem = rowProblem(kind, row)
      if (problem === null) continue
      const { table } = carriedTables[kind]
      throw new Damaged(
        `nothing was exported, because a row of the table ${table} could not be imported: ${problem}. The database was changed from outside: correct the row from a backup`,
      )
    }
  }
}

const settingKinds = carriedKinds.filter((kind) => kind !== 'entry')
