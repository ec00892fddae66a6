import { type DatabaseLocation, openReading, openStore } from '../src/stores/open.ts'
import { carriedKinds } from '../src/stores/transfer/carried-tables.ts'
import { progressBar } from '../src/cli/progress.ts'
import type { BenchRun } from './bench-run.ts'

/** The whole ledger into an empty database, without the proof that `import` makes. */
export async function copyLedger(
  bench: BenchRun,
  from: DatabaseLocation,
  to: DatabaseLocation,
): Promise<void> {
  const startedAt = performance.now()
  const source = await openReading(from)
  const store = await openStore(to)
  const bar = progressBar('copying the ledger')
  try {
    const entries = await source.entryCount()
    let copied = 0
    await store.importInto(async (target) => {
      for (const kind of carriedKinds) {
        for await (const rows of source.rows(kind)) {
          if (rows.length > 0) await target.insert(kind, rows)
          if (kind === 'entry') copied += rows.length
          bar.show(copied / Math.max(1, entries))
        }
      }
      await target.rebuildCounters()
    })
    bench.note(`${entries} entries copied in ${Math.round((performance.now() - startedAt) / 1000)} s`)
  } finally {
    bar.end()
    await store.close()
    await source.close()
  }
}
