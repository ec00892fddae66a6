import assert from 'node:assert/strict'
import { readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { temporaryFolder } from '../../support/service.ts'
import { openDatabase } from '../../../src/stores/sqlite/database.ts'
import { openSqlite } from '../../../src/stores/sqlite/open.ts'

/** A ledger that a connection has open, and that was then moved. */
async function aMovedLedger(t: TestContext) {
  const folder = temporaryFolder(t)
  const [path, moved] = [join(folder, 'ledger.db'), join(folder, 'moved.db')]
  await openSqlite(path).close()
  const holder = openDatabase(path)
  t.after(() => {
    if (holder.isOpen) holder.close()
  })
  renameSync(path, moved)
  return { folder, path, moved, holder }
}

const refusal = /cannot use .*moved\.db: another process has it open under another name.*Move it back/

test('a ledger that was moved while it was open is not opened at its new place, and nothing is left there', async (t) => {
  const { folder, path, moved, holder } = await aMovedLedger(t)
  const before = readdirSync(folder)
  assert.throws(() => openDatabase(moved), refusal)
  assert.throws(() => openDatabase(moved, { readOnly: true }), refusal)
  assert.deepEqual(readdirSync(folder), before)
  renameSync(moved, path)
  openDatabase(path).close()
  holder.close()
  renameSync(path, moved)
  openDatabase(moved).close()
})

test('nor beside an empty log and its index, which a reader of another ledger has left there', async (t) => {
  const { moved } = await aMovedLedger(t)
  for (const companion of ['-wal', '-shm']) writeFileSync(`${moved}${companion}`, '')
  assert.throws(() => openDatabase(moved), refusal)
})

test('a ledger that others have open under the same name is opened', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  await openSqlite(path).close()
  const first = new DatabaseSync(path)
  t.after(() => first.close())
  first.exec('SELECT count(*) FROM tenants')
  openDatabase(path).close()
  openDatabase(path, { readOnly: true }).close()
})
