import { rmSync, statSync } from 'node:fs'
import { progressBar } from '../src/cli/progress.ts'
import { openDatabase } from '../src/stores/sqlite/database.ts'
import { followLedger } from '../src/stores/sqlite/follower/followed-ledger.ts'
import { OperatorFile, operatorFileOf } from '../src/stores/sqlite/follower/operator-file.ts'
import { openReadModel } from '../src/stores/sqlite/follower/read-model.ts'
import type { BenchRun } from './bench-run.ts'

/** Makes it from nothing, as the follower's thread does for a ledger that was there before it. */
export function buildReadModel(bench: BenchRun, path: string, entries: number): void {
  const file = operatorFileOf(path)
  for (const companion of ['', '-wal', '-shm']) rmSync(`${file}${companion}`, { force: true })
  const ledger = openDatabase(path, { readOnly: true })
  const operator = new OperatorFile(path, {
    prepare: (database) => openReadModel(database, followLedger(ledger)),
    warn: bench.note,
  })
  const bar = progressBar('building the read model')
  const startedAt = performance.now()
  const cpuBefore = process.cpuUsage()
  let longestMs = 0
  for (let taken = 1; taken > 0; ) {
    const stepAt = performance.now()
    taken = operator.use((model) => model.follow())
    longestMs = Math.max(longestMs, performance.now() - stepAt)
    bar.show(operator.use((model) => model.position()) / entries)
  }
  bar.end()
  const { user, system } = process.cpuUsage(cpuBefore)
  operator.close()
  ledger.close()
  bench.values['read model, CPU µs an entry'] = ((user + system) / entries).toFixed(2)
  bench.values['read model, seconds by the clock'] = ((performance.now() - startedAt) / 1000).toFixed(1)
  bench.values['read model, longest step in ms'] = longestMs.toFixed(0)
  bench.values['read model, bytes an entry'] = (statSync(file).size / entries).toFixed(1)
}
