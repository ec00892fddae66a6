import assert from 'node:assert/strict'
import { existsSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
import { temporaryFolder } from '../../../test/support/service.ts'
import { anOrder, openSqliteLedger, verifyFile } from '../../../test/support/sqlite-ledger.ts'
import { Unavailable } from '../../ledger/errors.ts'
import { createCheckpoints, type LogLimits } from './checkpoints.ts'
import { type Database, openDatabase } from './database.ts'
import { migrate } from './migrate.ts'
import { sameFile } from './file/same-file.ts'
import { awardTogether } from '../../../test/support/award-together.ts'

const largeMeta = JSON.stringify({ receipt: 'x'.repeat(40_000) })
/** More than a thousand pages: after so many the writer looks at the log. */
const hugeMeta = JSON.stringify({ receipt: 'x'.repeat(4_200_000) })

test('the log is copied into the database beside the writer, before the writer has to do it', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const { store, close } = await openSqliteLedger(t, path)
  const watcher = openDatabase(path, { readOnly: true })
  t.after(() => watcher.close())
  for (let commits = 0; pagesOf(watcher).log < 24_000; commits++) {
    assert.equal(pagesOf(watcher).checkpointed, 0)
    // One by one: a commit that follows before all is copied would have to wait to be copied, or be in the next log.
    await awardTogether(store.ledger, [anOrder(String(commits), { meta: hugeMeta })])
  }
  assert.ok(pagesOf(watcher).log < 32_000)
  await eventually('all of it is copied', () => pagesOf(watcher).checkpointed === pagesOf(watcher).log)
  await awardTogether(store.ledger, [anOrder('next')])
  assert.ok(pagesOf(watcher).log < 100, 'the log has started over')
  await close()
  assert.equal((await verifyFile(path)).sound, true)
})

test('once the log has been copied it starts over, although the last commit is not copied yet', async (t) => {
  const limits = { shortMax: 40, copyAt: 100, startOverAt: 1_000, refuseAt: 2_000 }
  const { path, database, write } = openToWrite(t, limits)
  let reader: Database
  do {
    // The thread copies what the reader sees, which is all but the last commit.
    reader = openDatabase(path, { readOnly: true })
    reader.exec('BEGIN; SELECT * FROM probe')
    write()
    if (pagesOf(database).log < 140) reader.close()
  } while (pagesOf(database).log < 140)
  // Without a turn of the event loop, so that the writer does not know yet that the thread has copied.
  for (let waits = 0; pagesOf(database).checkpointed === 0 && waits < 600; waits++) pause(50)
  reader.close()
  const { log, checkpointed } = pagesOf(database)
  assert.ok(checkpointed > 0 && checkpointed < log, `${checkpointed} of ${log} pages are copied`)
  await eventually('the rest is copied', () => pagesOf(database).checkpointed === log)
  write()
  assert.ok(pagesOf(database).log < 100, 'the log has started over')
})

test('reads that follow each other without a gap do not keep the log from starting over', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const { store, close } = await openSqliteLedger(t, path)
  const reading = readWithoutGap(path)
  t.after(() => reading.stop())
  const watcher = openDatabase(path, { readOnly: true })
  t.after(() => watcher.close())
  let pages = 0
  // On a busy machine the first wait for the readers, at 32,000 pages, may be too short; then there is another one at 48,000.
  for (let commits = 0, isShorter = false; !isShorter; commits++) {
    assert.ok(pages < 56_000, `the log has ${pages} pages`)
    // Of 1 EP each, so that the user's day has room for all of them: what is refused makes no log longer.
    const orders = Array.from({ length: 250 }, (_, n) =>
      anOrder(`${commits}-${n}`, { amount: 1_000, meta: largeMeta }),
    )
    const outcomes = await awardTogether(store.ledger, orders)
    assert.ok(outcomes.every(({ kind }) => kind === 'credited'))
    const { log } = pagesOf(watcher)
    isShorter = log < pages
    pages = log
  }
  assert.ok(reading.snapshots() > 2)
  reading.stop()
  await close()
  assert.equal((await verifyFile(path)).sound, true)
})

const small = { shortMax: 10, copyAt: 100, startOverAt: 200, refuseAt: 400 }

test('while a reader stays, writes are refused when the log is at its limit, and come through once the reader ends', async (t) => {
  const { path, database, write } = openToWrite(t, small)
  database.exec(`PRAGMA journal_size_limit = ${4096 * small.startOverAt}`)
  const reader = openDatabase(path, { readOnly: true })
  t.after(() => reader.isOpen && reader.close())
  reader.exec('BEGIN; SELECT * FROM probe')
  assert.throws(() => {
    for (let writes = 0; writes < 100; writes++) write()
  }, /the log has reached its limit/)
  const { log } = pagesOf(database)
  assert.ok(log >= small.refuseAt && log < small.refuseAt + 20, `the log has ${log} pages`)
  assert.throws(write, Unavailable)
  assert.equal(pagesOf(database).log, log)

  reader.close()
  await eventually('a write comes through', () => {
    try {
      write()
      return true
    } catch (fault) {
      if (!(fault instanceof Unavailable)) throw fault
      return false
    }
  })
  assert.ok(pagesOf(database).log < 100, 'the log has started over')
  assert.ok(statSync(`${path}-wal`).size < 5000 * small.startOverAt, 'its room is given back to the disk')
})

test('a checkpointer that does not find its file stops no writer, creates no file, and works as soon as the file is there', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const database = openDatabase(path)
  migrate(database)
  database.exec('INSERT INTO probe (only_row, ballast) VALUES (1, zeroblob(100000000))')
  const file = sameFile(path)
  renameSync(path, `${path}-elsewhere`)
  const asked = createCheckpoints(database, file)
  asked.committed()
  await asked.close()
  assert.equal(existsSync(path), false)

  const checkpoints = createCheckpoints(database, file)
  t.after(async () => {
    await checkpoints.close()
    database.close()
  })
  checkpoints.committed()
  renameSync(`${path}-elsewhere`, path)
  assert.equal(pagesOf(database).checkpointed, 0)
  await eventually('it is copied', () => {
    checkpoints.committed()
    return pagesOf(database).checkpointed > 24_000
  })
})

/** Stops this thread for a moment, and no other. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

/** How many pages the log has, and how many of them are in the database, too. */
function pagesOf(database: Database) {
  return database.prepare('PRAGMA wal_checkpoint(NOOP)').get() as { log: number; checkpointed: number }
}

/** A ledger's file and its log, with writes of some 16 pages each. */
function openToWrite(t: TestContext, limits: LogLimits) {
  const path = join(temporaryFolder(t), 'ledger.db')
  const database = openDatabase(path)
  migrate(database)
  const checkpoints = createCheckpoints(database, sameFile(path), { limits })
  t.after(async () => {
    await checkpoints.close()
    database.close()
  })
  function write(): void {
    checkpoints.writing()
    database.exec('INSERT OR REPLACE INTO probe (only_row, ballast) VALUES (1, randomblob(60000))')
    checkpoints.committed()
  }
  return { path, database, write }
}

/** There is always a read transaction, and none lasts longer than a page of verify's. */
function readWithoutGap(path: string) {
  let count = 0
  let current = begin()
  const turns = setInterval(() => {
    const before = current
    current = begin()
    before.close()
  }, 50)

  function begin(): Database {
    const reader = openDatabase(path, { readOnly: true })
    reader.exec('BEGIN; SELECT * FROM probe')
    count++
    return reader
  }
  return {
    snapshots: () => count,
    stop() {
      clearInterval(turns)
      if (current.isOpen) current.close()
    },
  }
}
