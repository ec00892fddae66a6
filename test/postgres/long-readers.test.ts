import { deepEqual, match } from 'node:assert/strict'
import { after, test } from 'node:test'
import { oldSnapshotWarnings } from '../../src/stores/postgres/long-readers.ts'
import { openPool } from '../../src/stores/postgres/database.ts'
import { openSession } from '../support/database-sessions.ts'
import { freshDatabase } from '../support/fresh-database.ts'

test('a session that holds a snapshot is named, until it ends its transaction', async (t) => {
  const database = await freshDatabase('postgres')
  after(() => database.remove())
  const pool = openPool(database.url, { connectionsMax: 1 })
  const ours = await pool.connect()
  t.after(async () => {
    ours.release()
    await pool.end()
  })
  const other = await openSession(t, database.url)
  await other.query(`SET application_name = 'nightly report'`)
  deepEqual(await oldSnapshotWarnings(ours, { olderThanSeconds: 0 }), [])
  await other.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM accounts')
  const [warning] = await oldSnapshotWarnings(ours, { olderThanSeconds: 0 })
  match(
    warning!,
    /^session \d+ \("nightly report"\) has been in one transaction for \d+ s, and awards get slower/,
  )
  deepEqual(await oldSnapshotWarnings(ours), [], 'a minute is nothing')
  await other.query('COMMIT')
  deepEqual(await oldSnapshotWarnings(ours, { olderThanSeconds: 0 }), [])
})
