import { deepEqual, equal, ok } from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { systemClock } from '../../src/clock.ts'
import { Unavailable } from '../../src/ledger/errors.ts'
import { suspendPartner } from '../../src/partners/set-partner-status.ts'
import type { BatchKind } from '../../src/stores/postgres/batch-kind.ts'
import { batchesOnCitus } from '../../src/stores/postgres/citus/batches.ts'
import { noShardMap } from '../../src/stores/postgres/citus/shard-map.ts'
import { prepareCommit } from '../../src/stores/postgres/commit.ts'
import { openPool, type Pool } from '../../src/stores/postgres/database.ts'
import { aCitusLedger } from '../support/citus-ledger.ts'
import { citusUrl } from '../support/citus-database.ts'
import { withoutShards } from '../support/citus-anywhere.ts'
import { eventually } from '../support/eventually.ts'
import { runSql } from '../support/fresh-database.ts'
import { anOrder } from '../support/sqlite-ledger.ts'

if (citusUrl !== undefined) {
  describe('a shard that moves to another worker', async () => {
    const ledger = await aCitusLedger({ after })
    const account = { partnerId: 'partner0', tenantId: 't1' }

    test('waits for a batch between its two trips, and so does a suspend of its partner', async (t) => {
      const partnerId = 'partner2'
      await ledger.store.ledger.award(anOrder('before', { ...account, partnerId }))
      const ended: string[] = []
      const meanwhile: Promise<unknown>[] = []
      const pool = openPool(ledger.url, { connectionsMax: 1 })
      t.after(() => pool.end())
      const held = betweenTrips(pool, async () => {
        const moved = ledger.moveShard('accounts', partnerId).then(() => ended.push('move'))
        await Promise.race([moved, eventually('the move waits', () => shardWaits(1))])
        const operator = { store: ledger.store.partners, actor: 'test', now: systemClock.now() }
        const suspended = suspendPartner(operator, partnerId).then(() => ended.push('suspend'))
        await Promise.race([suspended, eventually('suspend waits', () => shardWaits(2))])
        meanwhile.push(moved, suspended)
      })
      const commit = prepareCommit(held, { batches: patientBatches(), clock: systemClock })
      const [outcome] = await commit([anOrder('during', { ...account, partnerId })])
      equal(outcome!.kind, 'credited')
      deepEqual(ended, [])
      await Promise.all(meanwhile)
      const late = await ledger.store.ledger.award(anOrder('after', { ...account, partnerId }))
      equal(late.kind, 'rejected')
      equal((await ledger.verify()).fault, null)
    })

    async function shardWaits(min: number): Promise<boolean> {
      const [{ count }] = await runSql(
        ledger.url,
        `SELECT count(*)::int FROM pg_locks JOIN pg_database ON pg_database.oid = database
         WHERE datname = current_database() AND locktype = 'advisory' AND NOT granted`,
      )
      return count >= min
    }

    test('between the two trips of a batch, if nothing kept it, whose lock stays behind: the batch is decided again', async (t) => {
      await ledger.store.ledger.award(anOrder('first', account))
      let moves = 0
      const pool = openPool(ledger.url, { connectionsMax: 1 })
      t.after(() => pool.end())
      const held = betweenTrips(pool, async () => {
        if (++moves > 1) return
        await ledger.moveShard('accounts', account.partnerId)
        const overtaking = anOrder('overtakes', { ...account, userEmail: 'another@example.vn' })
        const other = await ledger.store.ledger.award(overtaking)
        equal(other.kind, 'credited')
      })
      const commit = prepareCommit(held, { batches: withoutShards(patientBatches()), clock: systemClock })
      const [outcome] = await commit([anOrder('second', account)])
      equal(outcome!.kind, 'credited')
      equal(moves, 2, 'the first attempt lost the race')
      equal((await ledger.verify()).fault, null)
    })

    test('between the two trips of a batch, if nothing kept it, with the counter of its user: no award is left out of the counter', async (t) => {
      const other = { ...account, partnerId: 'partner1' }
      for (const id of [account, other]) await ledger.store.ledger.award(anOrder('counted', id))
      let moves = 0
      const pool = openPool(ledger.url, { connectionsMax: 1 })
      t.after(() => pool.end())
      const held = betweenTrips(pool, async () => {
        if (++moves > 1) return
        await ledger.moveShard('user_days', account.tenantId)
        equal((await ledger.store.ledger.award(anOrder('counted meanwhile', other))).kind, 'credited')
      })
      const commit = prepareCommit(held, { batches: withoutShards(patientBatches()), clock: systemClock })
      const [outcome] = await commit([anOrder('counted after', account)])
      equal(outcome!.kind, 'credited')
      equal(moves, 2, 'the first attempt lost the race')
      equal((await ledger.verify()).fault, null)
    })

    test('under load: no award fails otherwise than with 503, and the ledger stays sound', async () => {
      const load = ledger.startLoad()
      for (const [table, value] of [
        ['accounts', 'partner1'],
        ['user_days', 't2'],
        ['accounts', 'partner1'],
      ] as const)
        await ledger.moveShard(table, value)
      const { credited, failures } = await load.stop()
      ok(credited > 0)
      deepEqual(
        failures.filter((error) => !(error instanceof Unavailable)).map(({ message }) => message),
        [],
      )
      equal((await ledger.verify()).fault, null)
    })
  })
}

/** To move a shard takes longer than a batch may stand still between its trips. */
function patientBatches(): BatchKind {
  const batches = batchesOnCitus(noShardMap)
  const begin = batches.lockWaits.long.begin.map(({ text }) => ({
    text: text.replace(/(idle_in_transaction_session_timeout) = \d+/, '$1 = 0'),
  }))
  return { ...batches, lockWaits: { ...batches.lockWaits, long: { waitMaxMs: 60_000, begin } } }
}

/** The same pool; what was loaded is handed over when `work` is done. */
function betweenTrips(pool: Pool, work: () => Promise<void>): Pool {
  return Object.assign(Object.create(pool), {
    async connect() {
      const client = await pool.connect()
      const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>
      return Object.assign(Object.create(client), {
        async query(statement: string | { name?: string }, ...rest: unknown[]) {
          const result = await query(statement, ...rest)
          if (typeof statement !== 'string' && statement.name?.startsWith('lock-user-days')) await work()
          return result
        },
      })
    },
  })
}
