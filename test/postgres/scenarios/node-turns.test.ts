import { equal, notEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../../src/clock.ts'
import { batchesOnPostgres as batches } from '../../../src/stores/postgres/batch-kind.ts'
import { createCrowd } from '../../../src/stores/postgres/crowd.ts'
import { servePostgres } from '../../../src/stores/postgres/open.ts'
import { openPool } from '../../../src/stores/postgres/database.ts'
import { pipelined } from '../../../src/stores/postgres/pipeline.ts'
import { takeNodeTurn } from '../../../src/stores/postgres/node-turns.ts'
import { lockWaits } from '../../support/database-sessions.ts'
import type { Lifetime } from '../../support/service.ts'
import { anOrder } from '../../support/sqlite-ledger.ts'
import { aStoreLedger } from '../../support/store-ledger.ts'

test('a few nodes have a turn at a time, the next waits; a turn ends with its commit, or unused', async (t) => {
  const { database, verify } = await aStoreLedger(t)
  const url = database.kind === 'postgres' ? database.url : ''
  const pool = openPool(url, { connectionsMax: 20 })
  const options = { batches, clock: systemClock, crowd: createCrowd(systemClock, async () => 0) }
  const asked = Array.from({ length: 20 }, () => takeNodeTurn(pool, options))
  t.after(async () => {
    // After a failure some have not ended, and the pool would wait for their connections forever. Others refuse a second end.
    for (const asking of asked) asking.then((turn) => turn?.end()).catch(() => {})
    await pool.end()
  })
  const first = await Promise.any(asked)
  notEqual(first, null)
  await lockWaits(url, 17)

  const [outcome] = await first!.commit([anOrder('A1')])
  equal(outcome!.kind, 'credited')
  // Each passes its turn to the next.
  let taken = 0
  await Promise.all(
    asked.map(async (asking) => {
      const turn = await asking
      if (turn !== null) taken++
      if (turn !== first) turn?.end()
    }),
  )
  equal(taken, 20)
  await lockWaits(url, 0)
  equal((await verify()).entries, 1)
})

/** The account of the orders in t1 is locked until `release`. */
async function anAccountHeldByAnother(test: Lifetime) {
  const { database, store, raw } = await aStoreLedger(test)
  await store.ledger.award(anOrder('A1'))
  await raw.rows('BEGIN')
  await raw.rows('SELECT * FROM accounts FOR UPDATE')
  return { url: database.kind === 'postgres' ? database.url : '', release: () => raw.rows('ROLLBACK') }
}

test('an account that another session holds fails a batch in its turn with a lock timeout, and the turn continues', async (t) => {
  const { url, release } = await anAccountHeldByAnother(t)
  const pool = openPool(url, { connectionsMax: 1 })
  t.after(() => pool.end())
  const options = { batches, clock: systemClock, crowd: createCrowd(systemClock, async () => 0) }
  const turn = await takeNodeTurn(pool, options)
  const failed = await turn!.commit([anOrder('A2')], 'short').catch((error: Error) => error)
  equal(failed.constructor.name, 'LockTimeout')
  await release()
  const next = await takeNodeTurn(pool, options)
  equal((await next!.commit([anOrder('A2')], 'short'))[0]!.kind, 'credited')
})

test('where a node knows nothing of late, an account that another session holds does not hold up the others of its batch', async (t) => {
  const { url, release } = await anAccountHeldByAnother(t)
  // Its awards have time for one lock timeout, but not for three.
  const limits = { deadlineMs: 3_400 }
  const node = await servePostgres(url, { caps: {}, clock: systemClock, warn: () => {}, limits })
  t.after(() => node.close())
  const held = node.ledger.award(anOrder('A2')).catch((error: Error) => error)
  const other = await node.ledger.award(anOrder('B1', { tenantId: 't2' }))
  equal(other.kind, 'credited')
  await release()
  await held
  await node.ledger.close()
})

test('the locks of a node that hangs inside a batch are released while others still wait for it', async (t) => {
  const { database, store } = await aStoreLedger(t)
  const url = database.kind === 'postgres' ? database.url : ''
  await store.ledger.award(anOrder('A1'))
  const pool = openPool(url, { connectionsMax: 1 })
  const frozen = await pool.connect()
  t.after(() => {
    frozen.release(true)
    return pool.end()
  })
  await pipelined(frozen, [...batches.begin(1_000), { text: 'SELECT * FROM accounts FOR UPDATE' }])
  const node = await servePostgres(url, { caps: {}, clock: systemClock, warn: () => {} })
  t.after(() => node.close())
  equal((await node.ledger.award(anOrder('A2'))).kind, 'credited')
  await node.ledger.close()
})
