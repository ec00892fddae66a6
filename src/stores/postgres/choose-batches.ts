import { type BatchKind, batchesOnPostgres, batchesOnPostgres17 } from './batch-kind.ts'
import { batchesOnCitus } from './citus/batches.ts'
import { isDistributed } from './citus/is-distributed.ts'
import { noShardMap, type ShardMap } from './citus/shard-map.ts'
import type { Client } from './database.ts'

/** How batches are run on this database. */
export async function chooseBatches(client: Client, shards: ShardMap = noShardMap): Promise<BatchKind> {
  if (await isDistributed(client)) return batchesOnCitus(shards)
  const { rows } = await client.query("SELECT current_setting('server_version_num')::int AS version")
  return rows[0].version >= 170_000 ? batchesOnPostgres17 : batchesOnPostgres
}
