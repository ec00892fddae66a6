import { type DatabaseLocation, openReading, openStore } from '../src/stores/open.ts'
import { carriedKinds, type Row } from '../src/stores/transfer/carried-tables.ts'
import { progressBar } from '../src/cli/progress.ts'
import type { BenchRun } from './bench-run.ts'

/** A ledger into an empty database, without the proof that `import` makes: of each account, about `share` of its entries. */
export async function copyLedger(
  bench: BenchRun,
  { from, to, share }: { from: DatabaseLocation; to: DatabaseLocation; share: number },
): Promise<void> {
  const startedAt = performance.now()
  const source = await openReading(from)
  const store = await openStore(to)
  const bar = progressBar('copying the ledger')
  try {
    const accounts = (await Array.fromAsync(source.accounts())).flat()
    const ranges = accounts.map((account) => ({ ...account, after: 0, upTo: Math.ceil(account.seq * share) }))
    const entries = ranges.reduce((sum, { upTo }) => sum + upTo, 0)
    let copied = 0
    await store.importInto(async (target) => {
      for (const kind of carriedKinds) {
        if (kind === 'entry') continue
        for await (const rows of source.rows(kind)) if (rows.length > 0) await target.insert(kind, rows)
      }
      for await (const rows of source.entryRows(ranges)) {
        if (rows.length > 0) await target.insert('entry', rows as Row[])
        copied += rows.length
        bar.show(copied / Math.max(1, entries))
      }
      await target.rebuildCounters()
    })
    bench.note(`${copied} entries copied in ${Math.round((performance.now() - startedAt) / 1000)} s`)
    bench.values['entries on PostgreSQL'] = copied
  } finally {
    bar.end()
    await store.close()
    await source.close()
  }
}
