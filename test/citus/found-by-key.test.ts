import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { systemClock } from '../../src/clock.ts'
import type { AwardCommand } from '../../src/rules/entry.ts'
import { batchesOnCitus } from '../../src/stores/postgres/citus/batches.ts'
import { oneShard } from '../../src/stores/postgres/citus/one-shard.ts'
import { noShardMap } from '../../src/stores/postgres/citus/shard-map.ts'
import { prepareCommit } from '../../src/stores/postgres/commit.ts'
import { openPool } from '../../src/stores/postgres/database.ts'
import type { Statement } from '../../src/stores/postgres/pipeline.ts'
import { aCitusLedger } from '../support/citus-ledger.ts'
import { citusUrl } from '../support/citus-database.ts'
import { openSession } from '../support/database-sessions.ts'
import { runSql } from '../support/run-sql.ts'
import { anOrder } from '../support/sqlite-ledger.ts'

const earlier = 1_500
const awards = 40

/** New tables, so that the workers have no statistics of them yet. */
if (citusUrl !== undefined) {
  describe('a worker without statistics reads only the rows of the batch', async () => {
    const ledger = await aCitusLedger({ after })
    const batches = batchesOnCitus(noShardMap)
    const accounts = await accountsOfOneShard()
    const pool = openPool(ledger.url, { connectionsMax: 1 })
    after(() => pool.end())
    // As after a replay, so that orders are looked for, too.
    const replays = { seenAt: Number.POSITIVE_INFINITY }
    const commit = prepareCommit(pool, { batches, clock: systemClock, replays })
    const orders = (name: string, count: number, ids: typeof accounts): AwardCommand[] =>
      Array.from({ length: count }, (_, n) =>
        anOrder(`${name}-${n}`, { ...ids[n % ids.length]!, userEmail: `${name}${n}@example.vn` }),
      )
    for (const id of accounts)
      for (let first = 0; first < earlier; first += 500)
        for (const { kind } of await commit(orders(`${id.partnerId}-${id.tenantId}-${first}`, 500, [id])))
          equal(kind, 'credited')

    test('of one account', async () => {
      const [account] = accounts
      const known = `${account!.partnerId}-${account!.tenantId}-0`
      await readsOnlyItsRows([
        ...orders('new', awards, [account!]),
        ...orders('again', awards, [account!]).map((order, n) => ({
          ...order,
          userEmail: `${known}${n}@example.vn`,
        })),
      ])
    })

    test('of many accounts', async () => {
      ok(new Set(accounts.map(({ partnerId }) => partnerId)).size > 1)
      await readsOnlyItsRows(
        accounts.flatMap((id) =>
          orders('many', awards, [id]).map((order, n) => ({
            ...order,
            orderId: `many-${id.tenantId}-${n}`,
            userEmail: `${id.partnerId}-${id.tenantId}-0${n}@example.vn`,
          })),
        ),
      )
    })

    test('of users on two days', async () => {
      const day = Math.floor(systemClock.now() / 86_400_000)
      const rows = [day, day + 1].map((day) => ({ tenantId: 't1', userEmail: 'ann@example.vn', day }))
      const statements = oneShard(noShardMap.ofTenant)
      await explainAll(
        [...batches.lockWaits.short.begin, ...[statements.lockUserDays(rows)].flat()],
        rows.length,
      )
    })

    async function readsOnlyItsRows(batch: AwardCommand[]): Promise<void> {
      await explainAll(await statementsOf(batch), batch.length)
    }

    /** What a commit sends, without COMMIT. After that its connection is closed. */
    async function statementsOf(batch: AwardCommand[]): Promise<Statement[]> {
      const sent: Statement[] = []
      const client = await pool.connect()
      const query = client.query.bind(client) as (statement: Statement) => Promise<unknown>
      const recorded = (statement: Statement) => {
        if (statement.text === 'COMMIT') return Promise.reject(new Error('not sent'))
        sent.push(statement)
        return query(statement)
      }
      Object.assign(client, { query: recorded })
      client.release()
      await rejects(commit(batch), { message: 'the outcome of the commit is not known' })
      return sent
    }

    async function explainAll(statements: Statement[], rowsMax: number): Promise<void> {
      const tooMany: string[] = []
      let explained = 0
      const session = await openSession({ after }, ledger.url)
      for (const { text, values } of statements) {
        if (values === undefined) {
          await session.query(text)
          continue
        }
        const { rows } = await session.query(`EXPLAIN (ANALYZE, TIMING OFF) ${text}`, values)
        const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
        explained++
        if (rowsIn(plan) > rowsMax) tooMany.push(plan)
      }
      await session.query('ROLLBACK')
      ok(explained > 0)
      deepEqual(tooMany, [])
    }

    /** Of the partners of the shard that has most of them, with all tenants. */
    async function accountsOfOneShard(): Promise<{ partnerId: string; tenantId: string }[]> {
      const [{ names }] = await runSql(
        ledger.url,
        `SELECT array_agg(name ORDER BY name) AS names FROM unnest(ARRAY[0, 1, 2, 3, 4, 5]) AS n, concat('partner', n) AS name
         GROUP BY get_shard_id_for_distribution_column('accounts', name) ORDER BY count(*) DESC LIMIT 1`,
      )
      return names.flatMap((partnerId: string) => ['t1', 't2'].map((tenantId) => ({ partnerId, tenantId })))
    }
  })
}

/** The most rows that a step of a plan found, or read and did not need. */
function rowsIn(plan: string): number {
  const found = [...plan.matchAll(/actual rows=(\d+) loops=(\d+)/g)].map(
    ([, rows, loops]) => +rows! * +loops!,
  )
  const removed = [...plan.matchAll(/Rows Removed by [^:]*: (\d+)/g)].map(([, rows]) => +rows!)
  return Math.max(0, ...found, ...removed)
}
