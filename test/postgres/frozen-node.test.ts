import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { batchesOnPostgres } from '../../src/stores/postgres/batch-kind.ts'
import { openPool } from '../../src/stores/postgres/database.ts'
import { pipelined } from '../../src/stores/postgres/pipeline.ts'
import { urlOf } from '../support/database-sessions.ts'
import { eventually } from '../support/eventually.ts'
import { runSql } from '../support/fresh-database.ts'
import { anOrder } from '../support/sqlite-ledger.ts'
import { aStoreLedger } from '../support/store-ledger.ts'

test('a node that freezes while it is sent more than the buffers hold loses its locks', async (t) => {
  const { database, store, verify } = await aStoreLedger(t)
  const url = urlOf({ config: { database } })
  await store.ledger.award(anOrder('A1'))
  const pool = openPool(url, { connectionsMax: 1 })
  const node = await pool.connect()
  t.after(async () => {
    node.connection.stream.destroy()
    node.release(true)
    await pool.end()
  })
  const { begin } = batchesOnPostgres.lockWaits.long
  const { lockAccounts } = batchesOnPostgres.statements
  await pipelined(node, [...begin, lockAccounts([{ partnerId: 'acme', tenantId: 't1' }])])
  node.query(`SELECT repeat('x', 50000000)`).catch(() => {})
  node.connection.stream.pause()
  const stuck = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'ClientWrite'`
  await eventually('the database waits for its client', async () => (await runSql(url, stuck)).length === 1)

  const isCredited = () =>
    store.ledger.award(anOrder('A2')).then(
      ({ kind }) => kind === 'credited',
      () => false,
    )
  await eventually('another node gets the lock', isCredited, { withinMs: 30_000 })
  equal((await verify()).sound, true)
})
