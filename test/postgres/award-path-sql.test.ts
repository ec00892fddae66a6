import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { batchesOnCitus } from '../../src/stores/postgres/citus/batches.ts'
import { noShardMap } from '../../src/stores/postgres/citus/shard-map.ts'
import { prepareCommit } from '../../src/stores/postgres/commit.ts'
import { openPool, type Pool } from '../../src/stores/postgres/database.ts'
import { openStore } from '../../src/stores/open.ts'
import { anAward } from '../support/awards.ts'
import { withoutShards } from '../support/citus-anywhere.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { makePartner } from '../support/operators.ts'
import { createTestClock } from '../support/test-clock.ts'

const database = await freshDatabase()
const pool = openPool(database.url, { connectionsMax: 1 })
after(async () => {
  await pool.end()
  await database.remove()
})

/** The column that determines the shard of a table's row. */
const shardedBy: Record<string, string> = {
  accounts: 'partner_id',
  entries: 'partner_id',
  user_days: 'tenant_id',
}

test('every statement of the award path names the shard it goes to', async () => {
  const store = await openStore({ kind: 'postgres', url: database.url })
  await makePartner({ store: store.partners, actor: 'test', now: 0 })
  await store.close()

  const sent: string[] = []
  const clock = createTestClock()
  const batches = withoutShards(batchesOnCitus(noShardMap))
  const commit = prepareCommit(recording(pool, sent), { batches, clock })
  await commit([anAward()]) // the first of its account
  await commit([
    anAward({ orderId: 'A2', epTransactionId: '019a0000-0000-7000-8000-000000000002' }),
    anAward(),
  ])
  await commit([anAward({ orderId: 'A3', amount: 1 })])
  await commit([
    anAward({ orderId: 'A5', epTransactionId: '019a0000-0000-7000-8000-000000000005' }),
    anAward({
      orderId: 'A6',
      epTransactionId: '019a0000-0000-7000-8000-000000000006',
      userEmail: 'new@example.vn',
    }),
  ])
  clock.advance(-86_400_000)
  await commit([anAward({ orderId: 'A4', epTransactionId: '019a0000-0000-7000-8000-000000000004' })])

  const statements = [...new Set(sent)].filter((text) => !/^(BEGIN|COMMIT|ROLLBACK|SET)/.test(text))
  assert.ok(statements.length >= 8, 'the whole path was seen')
  for (const [table, column] of Object.entries(shardedBy)) {
    const onTable = statements.filter((text) => new RegExp(`(FROM|JOIN|INTO|UPDATE) ${table}\\b`).test(text))
    assert.ok(onTable.length > 0, table)
    for (const text of onTable) assert.ok(namesShard(text, table, column), text)
  }
})

/** The column is compared with a parameter, filled by one, or filled from a table that is on the same shard. */
function namesShard(text: string, table: string, column: string): boolean {
  const compared = new RegExp(`\\bWHERE (${table}\\.|locked\\.)?${column} = (ANY\\()?\\$1`)
  const filled = new RegExp(`INSERT INTO ${table} \\(${column}, [^)]*\\)\\s+VALUES \\(\\$1,`)
  const besideAccounts = /WHERE accounts\.partner_id = (ANY\()?\$1/
  return compared.test(text) || filled.test(text) || (table === 'entries' && besideAccounts.test(text))
}

/** The same pool, which records its statements. */
function recording(pool: Pool, sent: string[]): Pool {
  return Object.assign(Object.create(pool), {
    async connect() {
      const client = await pool.connect()
      const query = client.query.bind(client) as (...args: unknown[]) => unknown
      return Object.assign(Object.create(client), {
        query(statement: string | { text: string }, ...rest: unknown[]) {
          sent.push(typeof statement === 'string' ? statement : statement.text)
          return query(statement, ...rest)
        },
      })
    },
  })
}
