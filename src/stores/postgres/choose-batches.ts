import { type BatchKind, batchesOnPostgres } from './batch-kind.ts'
import { batchesOnCitus } from './citus/batches.ts'
import { isDistributed } from './citus/is-distributed.ts'
import { noShardMap, type ShardMap } from './citus/shard-map.ts'
import type { Client } from './database.ts'

/** How batches are run on this database. */
export async function chooseBatches(client: Client, shards: ShardMap = noShardMap): Promise<BatchKind> {
  return (await isDistributed(client)) ? batchesOnCitus(shards) : batchesOnPostgres
}
