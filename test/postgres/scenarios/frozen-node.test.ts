import { equal, ok } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { chooseBatches } from '../../../src/stores/postgres/choose-batches.ts'
import { openPool } from '../../../src/stores/postgres/database.ts'
import { pipelined } from '../../../src/stores/postgres/pipeline.ts'
import { urlOf } from '../../support/database-sessions.ts'
import { eventually } from '../../support/eventually.ts'
import { runSql } from '../../support/fresh-database.ts'
import { anOrder } from '../../support/sqlite-ledger.ts'
import { aStoreLedger } from '../../support/store-ledger.ts'

/** A ledger, and a node that stops in a transaction that holds the lock of one of its accounts. */
async function aNodeInABatch(t: TestContext) {
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
  const { lockWaits, statements } = await chooseBatches(node)
  const lock = statements.lockAccounts([{ partnerId: 'acme', tenantId: 't1' }])
  await pipelined(node, [...lockWaits.long.begin, lock])

  async function assertLosesItsLock(): Promise<void> {
    const isCredited = () =>
      store.ledger.award(anOrder('A2')).then(
        ({ kind }) => kind === 'credited',
        () => false,
      )
    await eventually('another node gets the lock', isCredited, { withinMs: 3_000 })
    equal((await verify()).sound, true)
  }
  return { url, node, assertLosesItsLock }
}

test('a node that freezes while it is sent more than the buffers hold loses its locks', async (t) => {
  const { url, node, assertLosesItsLock } = await aNodeInABatch(t)
  node.query(`SELECT repeat('x', 50000000)`).catch(() => {})
  node.connection.stream.pause()
  const stuck = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'ClientWrite'`
  await eventually('the database waits for its client', async () => (await runSql(url, stuck)).length === 1)
  await assertLosesItsLock()
})

test('a node that falls silent in the middle of a statement loses its locks', async (t) => {
  const { url, node, assertLosesItsLock } = await aNodeInABatch(t)
  const [{ version }] = await runSql(url, "SELECT current_setting('server_version_num')::int AS version")
  if (version < 170_000) return t.skip('PostgreSQL 17 or newer')
  const parse = Buffer.from('P\0\0\0\x10\0SELECT 1\0\0\0')
  const partOfBind = Buffer.from('B\0\0\0\x10\0')
  node.connection.stream.write(Buffer.concat([parse, partOfBind]))
  await assertLosesItsLock()
})

test('PostgreSQL notices within half a minute that the machine or the network of a node is gone', async (t) => {
  const { node } = await aNodeInABatch(t)
  // Of the socket itself: that is what these settings show.
  const setting = async (name: string) =>
    Number((await node.query(`SHOW tcp_keepalives_${name}`)).rows[0][`tcp_keepalives_${name}`])
  const idle = await setting('idle')
  const silentS = idle + (await setting('interval')) * (await setting('count'))
  ok(idle > 0 && silentS <= 30, `${silentS} s`)
})
