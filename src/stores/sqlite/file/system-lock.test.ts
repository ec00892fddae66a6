import assert from 'node:assert/strict'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { temporaryFolder } from '../../../../test/support/service.ts'
import { takeSystemLock } from './system-lock.ts'

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

test('who waits for the lock on a file that is removed and made again meanwhile does not get that of the old file', async (t) => {
  const file = join(temporaryFolder(t), 'lock')
  const holder = takeSystemLock(file)!
  const asking = `
    const { workerData, parentPort } = require('node:worker_threads')
    import(workerData.module).then(({ takeSystemLock }) => {
      parentPort.postMessage('asks')
      parentPort.postMessage(takeSystemLock(workerData.file, 5_000) === null ? 'refused' : 'took')
    })`
  const module = new URL('./system-lock.ts', import.meta.url).href
  const waiting = new Worker(asking, { eval: true, workerData: { module, file } })
  await once(waiting, 'message')
  const outcome = once(waiting, 'message')
  await sleep(100) // it waits in SQLite
  rmSync(file)
  const next = takeSystemLock(file)
  assert.ok(next !== null)
  holder.release()
  await sleep(300) // for it to try again
  assert.equal(takeSystemLock(file, 0), null, 'the new file is still locked')
  assert.deepEqual(await outcome, ['refused'])
  next.release()
})

test('a file with content, such as a database that keeps a log and so lets two in, is refused', (t) => {
  const folder = temporaryFolder(t)
  const [text, withLog] = ['text', 'with-log'].map((name) => join(folder, name))
  writeFileSync(text!, 'a note')
  const database = new DatabaseSync(withLog!)
  database.exec('PRAGMA journal_mode = WAL; BEGIN EXCLUSIVE')
  for (const file of [text!, withLog!]) {
    assert.throws(() => takeSystemLock(file), {
      message: `${file} has content, and it is ours and always empty: remove it`,
    })
  }
  database.close()
})
