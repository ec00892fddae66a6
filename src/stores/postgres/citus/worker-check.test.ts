import { deepEqual, match } from 'node:assert/strict'
import { test } from 'node:test'
import { type DaemonFacts, daemonWarnings } from './worker-check.ts'

const good: DaemonFacts = {
  recoverIntervalMs: 5_000,
  workerProcesses: 16,
  parallelWorkers: 8,
  databases: 3,
  leftPrepared: 0,
}

test('a node with the settings that we recommend is not warned about', () => {
  deepEqual(daemonWarnings(good), [])
})

const warned: [Partial<DaemonFacts>, RegExp][] = [
  [{ recoverIntervalMs: 60_000 }, /recover_2pc_interval is 60 s: .* Set it to 5s/],
  [{ recoverIntervalMs: -1 }, /recover_2pc_interval is off/],
  [{ leftPrepared: 2 }, /older than a minute: 2 .* recover_prepared_transactions/],
  [{ workerProcesses: 8 }, /max_worker_processes is 8: .* Set it to 15 or more/],
]
for (const [overrides, expected] of warned) {
  test(`an operator is warned about ${JSON.stringify(overrides)}`, () => {
    const warnings = daemonWarnings({ ...good, ...overrides })
    match(warnings.join(), expected)
  })
}
