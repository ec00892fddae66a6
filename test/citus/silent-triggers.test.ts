import { equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { aCitusLedger } from '../support/citus-ledger.ts'
import { citusUrl } from '../support/citus-database.ts'
import { runSql } from '../support/fresh-database.ts'

if (citusUrl !== undefined) {
  test('verify finds that no triggers fire on a worker, where a setting of its own switches them off', async (t) => {
    const { url, verify, shardOf } = await aCitusLedger(t)
    equal((await verify()).fault, null)
    const shard = await shardOf('entries', 'partner0')
    const database = new URL(url).pathname.slice(1)
    await runSql(
      shard.url,
      `SET citus.enable_ddl_propagation = off; ALTER DATABASE ${database} SET session_replication_role = replica`,
    )
    match((await verify()).fault!, /^the shard entries_\d+ on .*: session_replication_role is replica/)
  })

  test("verify believes no worker whose search_path puts another schema before PostgreSQL's own", async (t) => {
    const { url, verify, shardOf } = await aCitusLedger(t)
    const shard = await shardOf('entries', 'partner0')
    const path = (schemas: string) =>
      runSql(
        shard.url,
        `SET citus.enable_ddl_propagation = off;
         ALTER DATABASE ${new URL(url).pathname.slice(1)} SET search_path = ${schemas}`,
      )
    await path('public, pg_catalog')
    match(
      (await verify()).fault!,
      /^on .*, the search_path of the role names another schema before pg_catalog/,
    )
    await path('elsewhere')
    equal((await verify()).fault, null)
  })
}
