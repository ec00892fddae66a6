import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordNotSound, recordVerified } from '../../src/stores/open.ts'
import { eventually } from '../support/eventually.ts'
import { makePartner } from '../support/operators.ts'
import { aStoreLedger } from '../support/store-ledger.ts'

test('the time of a verify that is far ahead counts as no verify, and the next one counts again', async (t) => {
  const { database, store, operator, clock } = await aStoreLedger(t)
  let changes = 0
  const watch = store.watchSettings(() => {
    changes++
  })
  t.after(() => watch.close())
  const { verifiedAt } = store.readings
  const [now, hour] = [clock.now(), 3_600_000]
  assert.equal(await verifiedAt(), null)
  await eventually('the store listens, and knows of a verify', async () => {
    await recordVerified(database, now - hour)
    return (await verifiedAt()) === now - hour
  })

  await recordVerified(database, now + hour + 1)
  const before = changes
  await makePartner(operator, { partnerId: 'later' })
  if (database.kind === 'postgres') await eventually('both notifications were sent', () => changes > before)
  // The file beside an embedded ledger has only the last one.
  assert.equal(await verifiedAt(), database.kind === 'postgres' ? now - hour : null)

  await recordVerified(database, now - 1)
  await eventually('the next one is known', async () => (await verifiedAt()) === now - 1)
  // As after a clock that was ahead was set back.
  clock.set(now - 2 * hour)
  assert.equal(await verifiedAt(), null)
  await recordVerified(database, now - 3 * hour)
  await eventually('the next one is known', async () => (await verifiedAt()) === now - 3 * hour)
})

test('a verify on a machine whose clock is up to an hour ahead counts', async (t) => {
  const { database, store, clock } = await aStoreLedger(t)
  const watch = store.watchSettings(() => {})
  t.after(() => watch.close())
  const at = clock.now() + 3_600_000
  await eventually('the store knows of it', async () => {
    await recordVerified(database, at)
    return (await store.readings.verifiedAt()) === at
  })
})

test('a verify that found the ledger not sound is known until a later one finds it sound', async (t) => {
  const { database, store, clock } = await aStoreLedger(t)
  const watch = store.watchSettings(() => {})
  t.after(() => watch.close())
  const { verifiedAt, notSoundAt } = store.readings
  const now = clock.now()
  await eventually('the store knows of a verify', async () => {
    await recordVerified(database, now - 3)
    return (await verifiedAt()) === now - 3
  })
  assert.equal(await notSoundAt(), null)
  await recordNotSound(database, now - 2)
  await eventually('it is known', async () => (await notSoundAt()) === now - 2)
  assert.equal(await verifiedAt(), now - 3)
  await recordVerified(database, now - 1)
  await eventually('it is over', async () => (await notSoundAt()) === null)
  assert.equal(await verifiedAt(), now - 1)

  // By a clock that is far ahead: it counts all the same.
  await recordNotSound(database, now + 7_200_000)
  await eventually('it is known', async () => (await notSoundAt()) === now)
})
