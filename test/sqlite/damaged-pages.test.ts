import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { systemClock } from '../../src/clock.ts'
import { createVerifications } from '../../src/operator/api/verification/verifications.ts'
import { readRecord } from '../../src/stores/sqlite/verify-record.ts'
import { environmentOf, makeAcmeFile } from '../support/acme-file.ts'
import { createClient } from '../support/client.ts'
import { aFolder, complaintOf, database } from '../support/command-line.ts'
import { eventually } from '../support/eventually.ts'
import { operatorReads } from '../support/operator-reads.ts'
import { startServerProcess } from '../support/server-process.ts'
import { temporaryFolder } from '../support/service.ts'
import { writePage } from '../support/write-page.ts'

/** As a failing disk does: SQLite itself cannot read the table any more. */
async function aLedgerWithoutItsEntries(t: TestContext) {
  const { cwd, run } = await aFolder(t)
  const path = join(cwd, database)
  assert.equal((await run('verify')).code, 0)
  destroyEntries(path)
  return { path, run }
}

function destroyEntries(path: string): void {
  const raw = new DatabaseSync(path)
  raw.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  const { rootpage } = raw.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'entries'").get()!
  raw.close()
  writePage(path, { page: Number(rootpage), byte: 0 })
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

test('a server whose awards fail because its file is damaged is not ready, and tells operators why', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const key = await makeAcmeFile(path)
  destroyEntries(path)
  const server = await startServerProcess(environmentOf(path))
  t.after(() => server.end('SIGKILL'))
  const acme = createClient(server.url, key, systemClock)
  for (let times = 0; times < 3; times++) assert.equal((await acme.award()).status, 503)
  await eventually('not ready', async () => (await fetch(`${server.url}/readyz`)).status === 503)
  await operatorReads(server, /SQLite: the database is damaged/)
})
