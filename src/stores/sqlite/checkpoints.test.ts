import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
import { temporaryFolder } from '../../../test/support/service.ts'
import { anOrder, openSqliteLedger, verifyFile } from '../../../test/support/sqlite-ledger.ts'
import { createCheckpoints } from './checkpoints.ts'
import { type Database, openDatabase } from './database.ts'
import { migrate } from './migrate.ts'

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

test('a checkpointer that cannot do its work stops nobody, and does it as soon as it can', async (t) => {
  const folder = join(temporaryFolder(t), 'ledger')
  const path = join(folder, 'ledger.db')
  writeFileSync(folder, 'no folder yet')
  const checkpoints = createCheckpoints(path)
  t.after(() => checkpoints.close())
  checkpoints.committed(10_000)
  checkpoints.committed(10_000)
  await checkpoints.close()

  rmSync(folder)
  const database = openDatabase(path)
  t.after(() => database.close())
  migrate(database)
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
