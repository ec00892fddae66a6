import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { layoutsOf, type ShardLayout } from '../../src/stores/postgres/citus/shard-layout.ts'
import { layoutFaultIn } from '../../src/stores/postgres/layout.ts'
import { freshPostgres, runSql } from '../support/fresh-database.ts'

test('what verify asks a worker of Citus about its shards finds nothing wrong with our tables as they are', async () => {
  const { url } = await freshPostgres()
  const tables = ['accounts', 'entries', 'user_days']
  const shards = tables.map((table, index) => ({
    ...{ host: '127.0.0.1', port: 5432, least: 0, most: 0 },
    ...{ table, shardId: String(index), schema: 'public', shardName: table },
  }))
  const layouts: ShardLayout[] = await runSql(url, layoutsOf(shards))
  equal(layouts.length, tables.length)
  for (const { shardId, found } of layouts) equal(layoutFaultIn(found, [tables[Number(shardId)]!]), null)
})
