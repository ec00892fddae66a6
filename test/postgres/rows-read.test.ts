import { deepEqual, equal, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { batchesOnPostgres } from '../../src/stores/postgres/batch-kind.ts'
import { batchesOnCitus } from '../../src/stores/postgres/citus/batches.ts'
import { noShardMap } from '../../src/stores/postgres/citus/shard-map.ts'
import { prepareCommit } from '../../src/stores/postgres/commit.ts'
import { openPool, type Pool } from '../../src/stores/postgres/database.ts'
import { vietnamDay } from '../../src/rules/vietnam-day.ts'
import { anAward } from '../support/awards.ts'
import { withoutShards } from '../support/citus-anywhere.ts'
import { aStoreLedger } from '../support/store-ledger.ts'

/** How many rows of each table the transaction has read, with or without an index. */
const readSoFar = `
  SELECT coalesce(sum(seq_tup_read + idx_tup_fetch), 0)::int AS rows FROM pg_stat_xact_user_tables
  WHERE relname IN ('accounts', 'entries', 'user_days')`

const onOneShard = { ...noShardMap, ofTenant: () => 'the only one' }
const oneAccount = [{}, {}]
/** Whose statements are joins, on Citus. */
const twoAccounts = [{ tenantId: 't2' }, { partnerId: 'globex' }]
const kinds = [
  ['PostgreSQL', batchesOnPostgres, oneAccount],
  ['Citus, one account', withoutShards(batchesOnCitus(onOneShard)), oneAccount],
  ['Citus, two accounts', withoutShards(batchesOnCitus(onOneShard)), twoAccounts],
] as const

describe('a batch reads the rows it names, however many there are', () => {
  for (const [name, batches, accounts] of kinds) {
    test(name, async (t) => {
      const { database, clock, raw } = await aStoreLedger(t)
      const pool = openPool(database.kind === 'postgres' ? database.url : '', { connectionsMax: 1 })
      t.after(() => pool.end())
      const reads: number[] = []
      const commit = prepareCommit(readingBeforeCommit(pool, reads), {
        batches,
        clock,
        replays: { seenAt: clock.elapsed() },
      })
      const someAwards = () =>
        accounts.map((account, index) =>
          anAward({
            ...account,
            userEmail: `user-${index}@example.vn`,
            orderId: randomUUID(),
            epTransactionId: randomUUID(),
          }),
        )

      // The plans are made now, while the tables are empty.
      await commit(someAwards())
      await raw.run(`
        INSERT INTO user_days SELECT 't1', 'user' || n || '@example.vn', ${vietnamDay(clock.now())}, 1
        FROM generate_series(1, 5000) AS n;
        INSERT INTO accounts SELECT 'acme', 'other' || n, 1, '', 0, 0, 0 FROM generate_series(1, 5000) AS n;
        INSERT INTO entries SELECT 'acme', 'other' || n, 1, gen_random_uuid(), 'order' || n, 'user@example.vn', '', '',
          1000, 1000, 1, '', '', 0, 1, 1, 1, 1, 1, '' FROM generate_series(1, 5000) AS n`)
      const outcomes = await commit(someAwards())
      deepEqual(
        outcomes.map(({ kind }) => kind),
        ['credited', 'credited'],
      )
      equal(reads.length, 2)
      ok(reads[1]! > 0 && reads[1]! < 20, `${reads[1]} rows were read`)
    })
  }
})

/** The same pool, which records before each COMMIT what the transaction has read. */
function readingBeforeCommit(pool: Pool, reads: number[]): Pool {
  return Object.assign(Object.create(pool), {
    async connect() {
      const client = await pool.connect()
      const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>
      return Object.assign(Object.create(client), {
        query(statement: string | { text: string }, ...rest: unknown[]) {
          if (typeof statement !== 'string' && statement.text === 'COMMIT') {
            client.query(readSoFar).then(({ rows }) => reads.push(rows[0].rows))
          }
          return query(statement, ...rest)
        },
      })
    },
  })
}
