import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { temporaryFolder } from '../../../../test/support/service.ts'

const rounds = 3

/** Takes the lock in each round when the other is there, too, and keeps it until the other has been told. */
const program = `
  const { workerData, parentPort } = require('node:worker_threads')
  const { module, file, rounds, memory } = workerData
  const arrived = new Int32Array(memory)
  import(module).then(({ takeSystemLock }) => {
    function meet(place) {
      Atomics.add(arrived, place, 1)
      while (Atomics.load(arrived, place) < 2);
    }
    const took = []
    for (let round = 0; round < rounds; round++) {
      meet(2 * round)
      const lock = takeSystemLock(file)
      meet(2 * round + 1)
      took.push(lock === null ? 0 : 1)
      lock?.release()
    }
    parentPort.postMessage(took)
  })`

test('of two that ask for the lock at the same time, one gets it', async (t) => {
  const workerData = {
    module: new URL('./system-lock.ts', import.meta.url).href,
    file: join(temporaryFolder(t), 'lock'),
    rounds,
    memory: new SharedArrayBuffer(8 * rounds),
  }
  const both = [1, 2].map(() => once(new Worker(program, { eval: true, workerData }), 'message'))
  const [first, second] = (await Promise.all(both)).map(([took]) => took as number[])
  assert.deepEqual(
    first!.map((took, round) => took + second![round]!),
    Array(rounds).fill(1),
  )
})
