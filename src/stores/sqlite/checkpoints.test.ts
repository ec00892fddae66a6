import assert from 'node:assert/strict'
import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
import { temporaryFolder } from '../../../test/support/service.ts'
import { anOrder, openSqliteLedger, verifyFile } from '../../../test/support/sqlite-ledger.ts'
import { createCheckpoints } from './checkpoints.ts'
import { type Database, openDatabase } from './database.ts'
import { migrate } from './migrate.ts'
import { sameFile } from './same-file.ts'

test('the log is copied into the database beside the writer, before the writer has to do it', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const { store, close } = await openSqliteLedger(t, path)
  const watcher = openDatabase(path, { readOnly: true })
  t.after(() => watcher.close())
  const meta = JSON.stringify({ receipt: 'x'.repeat(40_000) })
  for (let commits = 0; pagesOf(watcher).log < 24_000; commits++) {
    assert.equal(pagesOf(watcher).checkpointed, 0)
    const orders = Array.from({ length: 500 }, (_, n) => anOrder(`${commits}-${n}`, { meta }))
    await store.ledger.commit(orders, { hasty: false })
  }
  assert.ok(pagesOf(watcher).log < 32_000)
  await eventually('all of it is copied', () => pagesOf(watcher).checkpointed === pagesOf(watcher).log)
  await store.ledger.commit([anOrder('next')], { hasty: false })
  assert.ok(pagesOf(watcher).log < 100, 'the log has begun anew')
  await close()
  assert.equal((await verifyFile(path)).sound, true)
})

test('a checkpointer that does not find its file stops nobody, makes none, and works as soon as it is there', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const database = openDatabase(path)
  t.after(() => database.close())
  migrate(database)
  database.exec('PRAGMA wal_autocheckpoint = 0')
  database.exec('INSERT INTO probe (only_row, ballast) VALUES (1, zeroblob(100000000))')
  const file = sameFile(path)
  renameSync(path, `${path}-elsewhere`)
  const asked = createCheckpoints(file)
  asked.committed(10_000)
  await asked.close()
  assert.equal(existsSync(path), false)

  const checkpoints = createCheckpoints(file)
  t.after(() => checkpoints.close())
  checkpoints.committed(10_000)
  renameSync(`${path}-elsewhere`, path)
  assert.equal(pagesOf(database).checkpointed, 0)
  await eventually('it is copied', () => {
    checkpoints.committed(10_000)
    return pagesOf(database).checkpointed > 24_000
  })
})

/** How many pages the log has, and how many of them are in the database, too. */
function pagesOf(database: Database) {
  return database.prepare('PRAGMA wal_checkpoint(NOOP)').get() as { log: number; checkpointed: number }
}
