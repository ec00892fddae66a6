import type { AccountId } from '../../../rules/cursor.ts'
import type { Statement } from '../pipeline.ts'

/**
 * Keeps the shards of a batch on their nodes until its transaction ends. A row lock is held on one node. If the shard
 * moved to another one before the batch is written, the lock would stay behind, and others would no longer wait for it:
 * an award could commit after `suspend` had returned. Citus takes this lock for what writes, but not for
 * `SELECT … FOR UPDATE`. It is taken on the coordinator, so it costs no round trip to a worker.
 *
 * The entries of an account are on a shard that only moves together with that of the account.
 */
export function keepInPlace(accounts: AccountId[]): Statement[] {
  const distinct = (values: string[]) => [...new Set(values)]
  return [
    {
      name: 'keep-shards-in-place',
      text: `
        SELECT lock_shard_metadata(${shareLock}, pg_catalog.array_agg(shard ORDER BY shard)) FROM (
          SELECT get_shard_id_for_distribution_column('accounts', partner) FROM pg_catalog.unnest($1::text[]) AS partner
          UNION
          SELECT get_shard_id_for_distribution_column('user_days', tenant) FROM pg_catalog.unnest($2::text[]) AS tenant
        ) AS shards (shard)`,
      values: [
        distinct(accounts.map(({ partnerId }) => partnerId)),
        distinct(accounts.map(({ tenantId }) => tenantId)),
      ],
    },
  ]
}

/** PostgreSQL's number of that mode: shared by awards, refused while a move or a split of the shard ends. */
const shareLock = 5
