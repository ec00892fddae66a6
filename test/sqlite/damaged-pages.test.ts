import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { createVerifications } from '../../src/operator/api/verification/verifications.ts'
import { readRecord } from '../../src/stores/sqlite/verify-record.ts'
import { aFolder, complaintOf, database } from '../support/command-line.ts'
import { eventually } from '../support/eventually.ts'
import { writePage } from '../support/write-page.ts'

/** As a failing disk does: SQLite itself cannot read the table any more. */
async function aLedgerWithoutItsEntries(t: TestContext) {
  const { cwd, run } = await aFolder(t)
  const path = join(cwd, database)
  assert.equal((await run('verify')).code, 0)
  const raw = new DatabaseSync(path)
  raw.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  const { rootpage } = raw.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'entries'").get()!
  raw.close()
  writePage(path, { page: Number(rootpage), byte: 0 })
  return { path, run }
}

test('servers learn that a verify could not read the ledger because its file is damaged', async (t) => {
  const { path, run } = await aLedgerWithoutItsEntries(t)
  assert.equal((await readRecord(path)).notSoundAt, null)
  assert.match(complaintOf(await run('verify'), 1), /the file is damaged\. Restore a backup/)
  assert.notEqual((await readRecord(path)).notSoundAt, null)
})

test('a verification from the console that could not read a damaged ledger found it not sound', async (t) => {
  const { path } = await aLedgerWithoutItsEntries(t)
  const verifications = createVerifications({ kind: 'sqlite', path })
  await verifications.start({ startedBy: 'operator:a-support', startedAt: 1_800_000_000_000 })
  await eventually('it has ended', async () => (await verifications.read()).current === null)
  const { earlier } = await verifications.read()
  assert.deepEqual(
    earlier.map(({ state, problem }) => [state, problem]),
    [['not sound', 'database disk image is malformed']],
  )
  assert.notEqual((await readRecord(path)).notSoundAt, null)
})
