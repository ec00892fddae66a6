import assert from 'node:assert/strict'
import { existsSync, symlinkSync } from 'node:fs'
import { test } from 'node:test'
import { beginVerifyRecord } from '../../src/stores/open.ts'
import { eventually } from '../support/eventually.ts'
import { aStoreLedger, type StoreLedger } from '../support/store-ledger.ts'
import { recordNotSound, recordVerified } from '../support/verify-results.ts'

/** That a server knows these times; on a busy machine, a first reading may still be of before. */
async function assertKnown({ store }: StoreLedger, expected: (number | null)[]): Promise<void> {
  const { verifiedAt, notSoundAt } = store.readings
  await eventually(`known: ${expected}`, async () => {
    const known = [await verifiedAt(), await notSoundAt()]
    return known.every((time, index) => time === expected[index])
  })
}

test('the time of a verify that is far ahead counts as no verify, and the next one counts again', async (t) => {
  const ledger = await aStoreLedger(t)
  const { database, clock } = ledger
  const [now, hour] = [clock.now(), 3_600_000]
  assert.equal(await ledger.store.readings.verifiedAt(), null)
  await recordVerified(database, now - hour)
  await assertKnown(ledger, [now - hour, null])
  await recordVerified(database, now + hour + 1)
  await assertKnown(ledger, [null, null])
  await recordVerified(database, now - 1)
  await assertKnown(ledger, [now - 1, null])

  // As after a clock that was ahead was set back.
  clock.set(now - 2 * hour)
  await assertKnown(ledger, [null, null])
  await recordVerified(database, now - 3 * hour)
  await assertKnown(ledger, [now - 3 * hour, null])
})

test('a verify on a machine whose clock is up to an hour ahead counts', async (t) => {
  const ledger = await aStoreLedger(t)
  const at = ledger.clock.now() + 3_600_000
  await recordVerified(ledger.database, at)
  await assertKnown(ledger, [at, null])
})

test('a verify that found the ledger not sound is known until a later one finds it sound', async (t) => {
  const ledger = await aStoreLedger(t)
  const { database, clock } = ledger
  const now = clock.now()
  await recordVerified(database, now - 3)
  await assertKnown(ledger, [now - 3, null])
  await recordNotSound(database, now - 2)
  await assertKnown(ledger, [now - 3, now - 2])
  await recordVerified(database, now - 1)
  await assertKnown(ledger, [now - 1, null])

  // By a clock that is far ahead: it counts all the same.
  await recordNotSound(database, now + 7_200_000)
  await assertKnown(ledger, [now - 1, now])
})

test('a sound verify clears no NOT SOUND that was recorded after it began, whatever the clocks say', async (t) => {
  const ledger = await aStoreLedger(t)
  const { database, clock } = ledger
  const now = clock.now()
  await recordNotSound(database, now - 9)
  const earlier = await beginVerifyRecord(database)
  await recordNotSound(database, now - 7)
  assert.equal(await earlier({ sound: true, extent: 'file' }, now - 5), false)
  await assertKnown(ledger, [now - 5, now - 7])
  // By a clock that was ahead, and was set back.
  await recordNotSound(database, now + 3)
  assert.equal(await (await beginVerifyRecord(database))({ sound: true, extent: 'file' }, now - 2), true)
  await assertKnown(ledger, [now - 2, null])
})

test('of many results that are recorded at once, the one that is not sound stays', async (t) => {
  const ledger = await aStoreLedger(t)
  const { database, clock } = ledger
  const records = await Promise.all(Array.from({ length: 8 }, () => beginVerifyRecord(database)))
  const now = clock.now()
  await Promise.all(records.map((record, index) => record({ sound: index !== 3, extent: 'file' }, now - 1)))
  await assertKnown(ledger, [now - 1, now - 1])
})

test('a verify of a file by a link is known to a server that has it by its own name, and the other way round', async (t) => {
  const ledger = await aStoreLedger(t)
  const { database, clock } = ledger
  if (database.kind !== 'sqlite') return
  const now = clock.now()
  const link = { ...database, path: `${database.path}-link` }
  symlinkSync(database.path, link.path)
  await recordNotSound(link, now - 2)
  await assertKnown(ledger, [null, now - 2])
  await recordVerified(database, now - 1)
  assert.equal(existsSync(`${link.path}-verified`), false)
})
