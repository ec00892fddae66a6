import { equal, ok } from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { systemClock } from '../../src/clock.ts'
import { aCitusLedger } from '../support/citus-ledger.ts'
import { eventually } from '../support/eventually.ts'
import { citusUrl } from '../support/citus-database.ts'
import { runSql } from '../support/fresh-database.ts'
import { makePartner } from '../support/operators.ts'
import { anOrder } from '../support/sqlite-ledger.ts'

if (citusUrl !== undefined) {
  describe('accounts of one shard', async () => {
    const ledger = await aCitusLedger({ after })
    const { award } = ledger.store.ledger
    const commits = () => ledger.store.measured().commits.batchSizes.count
    const operator = { store: ledger.store.partners, actor: 'test', now: systemClock.now() }
    const names = Array.from({ length: 24 }, (_, index) => `sharing${index}`)
    for (const partnerId of names)
      await makePartner(operator, { partnerId, name: partnerId, tenants: ['t1'] })
    const partners = await partnersOfLargestShard()
    let orders = 0

    /** In the order of their hashes, by which a shard is split. */
    async function partnersOfLargestShard(): Promise<string[]> {
      const rows = await runSql(
        ledger.url,
        `SELECT array_agg(name ORDER BY worker_hash(name)) AS names
         FROM unnest(ARRAY['${names.join("','")}']) AS name
         GROUP BY get_shard_id_for_distribution_column('accounts', name) ORDER BY count(*) DESC LIMIT 1`,
      )
      return rows[0].names
    }
    async function awardAtOnce(): Promise<number> {
      const before = commits()
      const round = ++orders
      const outcomes = await Promise.all(
        partners.map((partnerId) => award(anOrder(`order-${round}`, { partnerId, tenantId: 't1' }))),
      )
      for (const { kind } of outcomes) equal(kind, 'credited')
      return commits() - before
    }
    const isOneCommit = async () => (await awardAtOnce()) === 1

    test('share a commit, once it is known that they are', async () => {
      ok(partners.length > 1)
      await eventually('one commit for all', isOneCommit, { withinMs: 30_000 })
    })

    test('that is split under a running server are committed one by one, and then by their new shards', async () => {
      const first = partners[Math.floor(partners.length / 2) - 1]!
      await runSql(
        ledger.url,
        `SELECT citus_split_shard_by_split_points(shardid, ARRAY[worker_hash('${first}'::text)::text], ARRAY[nodeid, nodeid], 'block_writes')
         FROM get_shard_id_for_distribution_column('accounts', '${first}') AS shardid
           JOIN pg_dist_placement USING (shardid) JOIN pg_dist_node USING (groupid)`,
      )
      equal(await awardAtOnce(), 1 + partners.length, 'the shared one was refused')
      await eventually('one commit for each shard', async () => (await awardAtOnce()) === 2, {
        withinMs: 30_000,
      })
      equal((await ledger.verify()).fault, null)
    })
  })
}
