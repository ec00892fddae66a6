import { deepEqual, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { serveStore } from '../../src/stores/open.ts'
import { runCommand } from '../support/command-line.ts'
import { lockWaits, openSession, urlOf } from '../support/database-sessions.ts'
import { eventually } from '../support/eventually.ts'
import { freshPostgres, runSql } from '../support/fresh-database.ts'
import { databaseOfOwnRole } from '../support/own-role.ts'
import { temporaryFolder } from '../support/service.ts'
import { aStoreLedger } from '../support/store-ledger.ts'
import { createTestClock } from '../support/test-clock.ts'
import { recordNotSound, recordVerified } from '../support/verify-results.ts'

test('a server that starts after a verify knows its result', async (t) => {
  const { url, remove } = await freshPostgres()
  t.after(remove)
  const clock = createTestClock()
  const database = { kind: 'postgres', url } as const
  const assertKnown = async (expected: (number | null)[]) => {
    const { readings, close } = await serveStore(database, { caps: {}, clock, warn: () => {} })
    try {
      await eventually(`known: ${expected}`, async () => {
        const known = [await readings.verifiedAt(), await readings.notSoundAt()]
        return known.every((time, index) => time === expected[index])
      })
    } finally {
      await close()
    }
  }
  const now = clock.now()
  await assertKnown([null, null])
  await recordVerified(database, now - 3)
  await assertKnown([now - 3, null])
  await recordNotSound(database, now - 2)
  await assertKnown([now - 3, now - 2])
  await recordVerified(database, now - 1)
  await assertKnown([now - 1, null])
})

test('a verify that is running when another one finds the ledger not sound does not clear that', async (t) => {
  const { url, remove } = await freshPostgres()
  t.after(remove)
  const database = { kind: 'postgres', url } as const
  const other = await openSession(t, url)
  await other.query('BEGIN; LOCK TABLE accounts')
  const verify = () => runCommand(['verify'], { cwd: temporaryFolder(t), environment: { DATABASE_URL: url } })
  const running = verify()
  await lockWaits(url)
  await recordNotSound(database, 1)
  await other.query('COMMIT')
  const stored = () => runSql(url, 'SELECT not_sound_at::int AS at FROM verify_record')
  const { stdout } = await running
  match(stdout, /^sound: /)
  deepEqual(await stored(), [{ at: 1 }])
  match((await verify()).stdout, /^sound: /)
  deepEqual(await stored(), [{ at: null }])
})

test('a notification, which every role that can connect may send, is not taken for a verify', async (t) => {
  const { store, database, clock, raw } = await aStoreLedger(t)
  let changes = 0
  const watch = store.watchSettings(() => {
    changes++
  })
  t.after(() => watch.close())
  const { verifiedAt, notSoundAt } = store.readings
  const now = clock.now()
  await recordNotSound(database, now - 2)
  await eventually('the server knows', async () => (await notSoundAt()) === now - 2)
  await eventually('the server has read both notifications', async () => {
    await raw.rows(`SELECT pg_notify('partner_credit_verified', '${now - 1}')`)
    await raw.rows(`SELECT pg_notify('partner_credit_settings', '')`)
    return changes > 0
  })
  deepEqual([await verifiedAt(), await notSoundAt()], [null, now - 2])
})

test('while the database cannot be read, a server goes on with the result that it knows', async (t) => {
  const { store, database, clock, raw } = await aStoreLedger(t)
  await recordNotSound(database, clock.now())
  await eventually('known', async () => (await store.readings.notSoundAt()) === clock.now())
  await raw.run('ALTER TABLE verify_record RENAME TO elsewhere')
  equal(await store.readings.notSoundAt(), clock.now())
})

test('while somebody holds a lock on the record, a server that is asked for it stays ready', async (t) => {
  const { store, database, clock } = await aStoreLedger(t)
  await recordVerified(database, clock.now())
  await eventually('known', async () => (await store.readings.verifiedAt()) === clock.now())
  const other = await openSession(t, urlOf({ config: { database } }))
  await other.query('BEGIN; LOCK TABLE verify_record')
  const asked = store.readings.verifiedAt()
  await store.ledger.ready()
  equal(await asked, clock.now())
})

test('a role that may only read verifies the ledger, and says that its result is not recorded', async (t) => {
  const { database, role, url } = await databaseOfOwnRole()
  t.after(() => database.remove())
  await runSql(
    database.url,
    `REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${role}; GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}`,
  )
  const verify = () => runCommand(['verify'], { cwd: temporaryFolder(t), environment: { DATABASE_URL: url } })
  const { code, stdout, stderr } = await verify()
  equal(code, 0, stderr)
  match(stdout, /^sound: 0 entries/)
  match(
    stderr,
    /^The result of this verify could not be recorded for the servers: permission denied for table verify_record$/m,
  )
  await runSql(database.url, `GRANT INSERT, UPDATE ON verify_record TO ${role}`)
  deepEqual((await verify()).stderr, '')
})
