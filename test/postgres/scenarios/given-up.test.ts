import { equal, ok, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../../src/clock.ts'
import { servePostgres } from '../../../src/stores/postgres/open.ts'
import { lockWaits, openSession } from '../../support/database-sessions.ts'
import { freshPostgres } from '../../support/fresh-database.ts'
import { soon } from '../../support/soon.ts'

test('a statement that a node has given up does not go on waiting for its lock, and keeps no session from others', async (t) => {
  const database = await freshPostgres()
  t.after(() => database.remove())
  const holder = await openSession(t, database.url)
  const store = await soon(() =>
    servePostgres(database.url, { caps: {}, clock: systemClock, warn: () => {}, answerMaxMs: 300 }),
  )
  t.after(() => store.close())
  const journal = store.openJournal({ refusalDays: 1, warn: () => {} })
  /** What a node asks again and again, each on connections of its own. */
  const ask = {
    history: () => store.ledger.historyPage({ partnerId: 'acme', tenantId: 't1', beforeSeq: null, limit: 1 }),
    keys: () => store.partners.settingsVersion(null),
    journal: () => journal.storedKey(Buffer.alloc(8)),
  }
  await holder.query('BEGIN; LOCK TABLE entries, settings_version, journal_key')
  for (const again of [...Object.values(ask), ...Object.values(ask)]) await rejects(again())
  await lockWaits(database.url, 0)
  // The lock was there all the time.
  const { rows } = await holder.query(
    "SELECT count(*)::int AS held FROM pg_locks WHERE pid = pg_backend_pid() AND mode = 'AccessExclusiveLock'",
  )
  ok(rows[0].held >= 3)
  await holder.query('ROLLBACK')
  equal(JSON.parse(await ask.history()).items.length, 0)
})
