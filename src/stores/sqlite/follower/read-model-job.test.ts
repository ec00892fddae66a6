import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Unavailable } from '../../../ledger/errors.ts'
import { anOrder, openSqliteLedger } from '../../../../test/support/sqlite-ledger.ts'
import { temporaryFolder } from '../../../../test/support/service.ts'
import { Database, openDatabase } from '../database.ts'
import { readModelJob } from './read-model-job.ts'

const now = 1_700_000_000_000

test('a ledger that cannot be read pauses the read model for a minute, and is no fault of its file', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const { store } = await openSqliteLedger(t, path)
  await store.ledger.award(anOrder('A1'))
  const operator = new Database(`${path}-operator`)
  operator.exec(readFileSync(new URL('./migrations/0005-followed-audit.sql', import.meta.url), 'utf8'))
  const ledger = openDatabase(path, { readOnly: true })
  t.after(() => {
    operator.close()
    ledger.close()
  })
  let opened = 0
  const damaged = Object.assign(new Error('database disk image is malformed'), { errcode: 11 })
  const fail = () => {
    throw damaged
  }
  const unreadable = {
    prepare: () => ({ setReturnArrays() {}, all: fail, get: fail }),
  } as unknown as Database
  const job = readModelJob(operator, () => (opened++ === 0 ? unreadable : ledger), assert.fail)
  // The number of the error is gone: by it, the owner of the file would take the file for damaged.
  assert.throws(
    () => job.step(now),
    (error: Error) => error instanceof Unavailable && !('errcode' in error),
  )
  const openedBefore = opened
  assert.equal(job.step(now + 59_999), false)
  assert.equal(opened, openedBefore)
  assert.equal(job.step(now + 60_000), true)
  assert.equal(job.step(now + 60_000), false, 'it has caught up')
  assert.equal(operator.prepare('SELECT position FROM read_model').get()!.position, 1)
})
