import assert from 'node:assert/strict'
import { rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Unavailable } from '../../src/ledger/errors.ts'
import { openDatabase } from '../../src/stores/sqlite/database.ts'
import { openSqlite } from '../../src/stores/sqlite/open.ts'
import { mountSmallDisk } from '../chaos/small-disk.ts'
import { awardTogether } from '../support/award-together.ts'
import { complaintOf, runProcess } from '../support/command-line.ts'
import { anOrder, openSqliteLedger, type SqliteLedger, verifyFile } from '../support/sqlite-ledger.ts'

const diskBytes = 24e6
const freedBytes = 1e6
const awardsAtOnce = 20
/** 4 MB always. Where the disk has no room for a copy of them, the rest of the room, which is less than that. */
const logBytesMax = 2 * 1_000 * 4_120
/** Even if each of them commits alone, in 6 pages of the log. */
const awardsInFreed = Math.floor(freedBytes / (6 * 4_120))
const awardsMax = 100_000
const roomyCaps = { perTx: 10_000, perPartnerDay: 1e12, perUserDay: 1e12 }

/** Makes awards until the disk is full; returns how many were credited. */
async function fillDisk(
  { store }: SqliteLedger,
  name: string,
  fields: { meta?: string } = {},
): Promise<number> {
  for (let credited = 0; credited < awardsMax; credited += awardsAtOnce) {
    const orders = Array.from({ length: awardsAtOnce }, (_, n) => anOrder(`${name}-${credited + n}`, fields))
    try {
      await awardTogether(store.ledger, orders)
    } catch (fault) {
      assert.ok(fault instanceof Unavailable)
      return credited
    }
  }
  throw new Error('the disk is never full')
}

test('a ledger that cannot be opened because its disk is full is reported as that', async (t) => {
  const disk = mountSmallDisk({ roomyBytes: diskBytes })
  if (disk === null) return t.skip('mounting is not allowed here')
  t.after(() => disk.database.remove())
  const path = join(disk.folder, 'ledger.db')
  await openSqlite(path).close()
  disk.fill(0)
  // In processes of their own: after a failure, the file stays open, and the disk could not be removed.
  for (const args of [['verify'], ['partner', 'suspend', 'acme']]) {
    const result = await runProcess([...args, '--database-url', disk.database.url], { cwd: disk.folder })
    assert.match(complaintOf(result, 1), /cannot use .*ledger\.db: .*: its disk is full: make room on it\n$/)
  }
})

test('a full disk is full of the ledger, not of its log, and goes on with the little room that is freed', async (t) => {
  const disk = mountSmallDisk({ roomyBytes: diskBytes })
  if (disk === null) return t.skip('mounting is not allowed here')
  const opened: SqliteLedger[] = []
  t.after(async () => {
    for (const ledger of opened) await ledger.close()
    await disk.database.remove()
  })
  const [ballast, other] = ['ballast', 'other'].map((name) => join(disk.folder, name))
  for (const file of [ballast!, other!]) writeFileSync(file, Buffer.alloc(freedBytes))
  const path = join(disk.folder, 'ledger.db')
  const ledger = await openSqliteLedger(t, path, roomyCaps)
  opened.push(ledger)
  // Large ones: as many small ones as the disk has room for take several seconds of a processor.
  let credited = await fillDisk(ledger, 'first', { meta: JSON.stringify({ receipt: 'x'.repeat(4_000) }) })
  const sizes = () => ({ log: statSync(`${path}-wal`).size, database: statSync(path).size })
  assert.ok(sizes().log < logBytesMax, `the log has ${sizes().log} bytes`)
  const databaseMin = diskBytes - 2 * freedBytes - logBytesMax - freedBytes
  assert.ok(sizes().database > databaseMin, `the database has ${sizes().database} bytes`)

  rmSync(ballast!)
  const more = await fillDisk(ledger, 'second')
  assert.ok(more > awardsInFreed, `${more} awards`)
  credited += more
  await ledger.close()

  rmSync(other!)
  const again = await openSqliteLedger(t, path, roomyCaps)
  opened.push(again)
  const afterStart = await fillDisk(again, 'third')
  assert.ok(afterStart > awardsInFreed, `${afterStart} awards after a start`)
  credited += afterStart
  await again.close()
  disk.makeRoom()
  const { sound, entries } = await verifyFile(path)
  assert.equal(sound, true)
  assert.ok(entries >= credited)
})

test('after a write that failed on a full disk, the log gives its room to the next one', async (t) => {
  const disk = mountSmallDisk()
  if (disk === null) return t.skip('mounting is not allowed here')
  const path = join(disk.folder, 'ledger.db')
  const ledger = await openSqliteLedger(t, path, roomyCaps)
  t.after(() => disk.database.remove())
  const large = { meta: JSON.stringify({ receipt: 'x'.repeat(40_000) }) }
  for (const name of ['first', 'second'])
    await awardTogether(
      ledger.store.ledger,
      Array.from({ length: 60 }, (_, n) => anOrder(`${name}-${n}`, large)),
    )

  // The database file needs no more room, and the log has some that only a copy of its last pages gives back.
  const [reader, other] = [openDatabase(path, { readOnly: true }), openDatabase(path)]
  reader.exec('BEGIN; SELECT * FROM probe')
  other.exec('PRAGMA wal_checkpoint(PASSIVE)')
  other.exec('DELETE FROM probe')
  reader.close()
  other.close()
  disk.fill(0)
  const next = () => awardTogether(ledger.store.ledger, [anOrder('next', large)])
  await assert.rejects(next(), Unavailable)
  await next()
  await ledger.close()
  const { sound, entries } = await verifyFile(path)
  assert.deepEqual({ sound, entries }, { sound: true, entries: 121 })
})
