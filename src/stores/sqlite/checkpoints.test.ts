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
  const award = (count: number, name: string) =>
    store.ledger.commit(
      Array.from({ length: count }, (_, n) => anOrder(`${name}-${n}`, { userEmail: `${n}@example.vn` })),
      { hasty: false },
    )
  await award(400, 'few')
  assert.equal(copied(watcher), 0)
  await award(400, 'more')
  await eventually('it is copied', () => copied(watcher) > 0)
  await close()
  assert.equal((await verifyFile(path)).sound, true)
})

test('a checkpointer that does not find its file stops nobody, makes none, and works as soon as it is there', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const database = openDatabase(path)
  t.after(() => database.close())
  migrate(database)
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
  assert.equal(copied(database), 0)
  await eventually('it is copied', () => {
    checkpoints.committed(10_000)
    return copied(database) > 0
  })
})

/** How many pages of the log are in the database, too. */
function copied(database: Database): number {
  return database.prepare('PRAGMA wal_checkpoint(NOOP)').get()!.checkpointed as number
}
