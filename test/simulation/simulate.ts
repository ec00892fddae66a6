import { progressBar } from '../../src/cli/progress.ts'
import { longRun } from '../support/long-run.ts'
import { startPostgres, stopPostgres } from '../support/postgres-server.ts'
import { simulate } from './simulation.ts'

/**
 * The whole core against its model, for any number of operations: `npm run simulate -- --ops 1000000`, with
 * `--store postgres --nodes 3` for several nodes on one PostgreSQL. A counter-example is shrunk for `--shrink`
 * seconds and printed with the seed and the path that reproduce it. With `--fsync`, SQLite waits for the disk.
 */
const defaults = { ops: 100_000, store: 'sqlite', nodes: 1, path: '', fsync: false, shrink: 120 }

await longRun('simulate', defaults, async ({ ops, store, nodes, seed, path, fsync, shrink }) => {
  if (store !== 'sqlite' && store !== 'postgres') return wronglyCalled('--store must be sqlite or postgres')
  if (store === 'sqlite' && nodes !== 1) return wronglyCalled('a SQLite file is served by one node')
  if (store === 'postgres') await startPostgres()
  const bar = progressBar(`${store}, ${nodes === 1 ? 'one node' : `${nodes} nodes`}`)
  try {
    const { operations, runs, credited, unknown, unasked, faults, failure, found } = await simulate({
      store,
      nodes,
      ops,
      seed,
      fsync,
      shrinkForMs: shrink * 1000,
      onProgress: bar.show,
      ...(path === '' ? {} : { path }),
    })
    const fired = [...faults].sort(([a], [b]) => (a < b ? -1 : 1))
    return {
      figures: {
        operations,
        runs,
        credited,
        'answers unknown': unknown,
        'without a fault of ours': unasked,
        'faults fired': fired.reduce((sum, [, count]) => sum + count, 0),
        ...Object.fromEntries(fired),
        divergences: failure === null ? 0 : 1,
        ...(found === null
          ? {}
          : { 'found after operations': found.operations, 'found after seconds': found.seconds }),
      },
      violations: failure === null ? [] : [failure],
    }
  } finally {
    bar.end()
    if (store === 'postgres') await stopPostgres()
  }
})

function wronglyCalled(message: string): never {
  console.error(`simulate: ${message}`)
  process.exit(2)
}
