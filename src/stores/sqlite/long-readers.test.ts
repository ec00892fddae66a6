import assert from 'node:assert/strict'
import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/support/service.ts'
import { openSqliteLedger } from '../../../test/support/sqlite-ledger.ts'
import { warningsOfLog } from './long-readers.ts'

test('a log that a reader keeps from starting over is a warning long before it is at its limit', (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  assert.deepEqual(warningsOfLog(path), [])
  writeFileSync(`${path}-wal`, '')
  truncateSync(`${path}-wal`, 200e6)
  assert.deepEqual(warningsOfLog(path), [])
  truncateSync(`${path}-wal`, 300e6)
  assert.match(warningsOfLog(path).join(), /^ledger\.db-wal has 300 MB, because another program .* end it/)
})

test('a readiness check reports it', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const { store } = await openSqliteLedger(t, path)
  assert.deepEqual(await store.ledger.ready(), [])
  truncateSync(`${path}-wal`, 300e6) // what comes after the last commit is no part of the log
  assert.equal((await store.ledger.ready()).length, 1)
})
