import assert from 'node:assert/strict'
import { rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Unavailable } from '../../src/ledger/errors.ts'
import { mountSmallDisk } from '../chaos/small-disk.ts'
import { awardTogether } from '../support/award-together.ts'
import { anOrder, openSqliteLedger, type SqliteLedger, verifyFile } from '../support/sqlite-ledger.ts'

const diskBytes = 24e6
const freedBytes = 1e6
const awardsAtOnce = 20
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

test('a full disk is full of the ledger, not of its log, and goes on with the little room that is freed', async (t) => {
  const disk = mountSmallDisk({ roomyBytes: diskBytes })
  if (disk === null) return t.skip('mounting is not allowed here')
  t.after(() => disk.database.remove())
  const [ballast, other] = ['ballast', 'other'].map((name) => join(disk.folder, name))
  for (const file of [ballast!, other!]) writeFileSync(file, Buffer.alloc(freedBytes))
  const path = join(disk.folder, 'ledger.db')
  const ledger = await openSqliteLedger(t, path, roomyCaps)
  // Large ones: as many small ones as the disk has room for take several seconds of a processor.
  let credited = await fillDisk(ledger, 'first', { meta: JSON.stringify({ receipt: 'x'.repeat(4_000) }) })
  const sizes = () => ({ log: statSync(`${path}-wal`).size, database: statSync(path).size })
  assert.ok(sizes().log < 6e6, `the log has ${sizes().log} bytes`)
  assert.ok(sizes().database > 15e6, `the database has ${sizes().database} bytes`)

  rmSync(ballast!)
  const more = await fillDisk(ledger, 'second')
  assert.ok(more > 200, `${more} awards`)
  credited += more
  await ledger.close()

  rmSync(other!)
  const again = await openSqliteLedger(t, path, roomyCaps)
  const afterStart = await fillDisk(again, 'third')
  assert.ok(afterStart > 200, `${afterStart} awards after a start`)
  credited += afterStart
  await again.close()
  disk.makeRoom()
  const { sound, entries } = await verifyFile(path)
  assert.equal(sound, true)
  assert.ok(entries >= credited)
})
