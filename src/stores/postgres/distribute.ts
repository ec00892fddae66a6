import { bringBack, ourTriggersAreSafe } from './citus/bring-back.ts'
import { type Client, explained, inLongTransaction, openPool, withClient } from './database.ts'
import { type LockPatience, retryingLocks } from './lock-retries.ts'
import { assertMigrated, awaitOtherChanges } from './migrate.ts'
import { isServed } from './settings-watch.ts'

/**
 * How the tables are distributed. An account's row and its entries are on one shard, a tenant's user counters on
 * another. So every statement of an award goes to one shard, and a batch touches at most two nodes.
 *
 * Operators' settings are small and stay on the coordinator, where every award reads them. They can be changed, and a
 * server can start, while another node is unreachable.
 */
const spread: { table: string; by: string; with: string }[] = [
  { table: 'accounts', by: 'partner_id', with: 'none' },
  { table: 'entries', by: 'partner_id', with: 'accounts' },
  { table: 'user_days', by: 'tenant_id', with: 'none' },
]

/**
 * A commit takes accounts of one shard, so that many shards mean small commits. A shard is what can be moved to another
 * worker, so that there must be at least as many as workers.
 */
const shardsUsual = 4

/** The tables that were moved. */
export type Distributed = { spread: string[]; broughtBack: string[] }

/**
 * Distributes the tables of a migrated database, empty or not, on a Citus coordinator: all of them or none. Tables that are
 * already distributed stay as they are, so that it can be run again. Small tables that an older version copied to every
 * node are moved back to the coordinator.
 */
export async function distributePostgres(
  url: string,
  shards = shardsUsual,
  patience: LockPatience = { say: () => {} },
): Promise<Distributed> {
  const pool = openPool(url, { connectionsMax: 2, connectMaxMs: 5_000, liftsRoleLimits: true })
  try {
    return await explained(async () => {
      await withClient(pool, (client) => assertMigrated(client, null))
      await withClient(pool, assertCitus)
      return await retryingLocks(pool, patience, (limitWait) =>
        inLongTransaction(pool, async (client) => {
          await awaitOtherChanges(client, patience.say)
          await limitWait(client)
          const broughtBack = await bringBack(client)
          return { broughtBack, spread: await spreadMissing(client, shards) }
        }),
      )
    })
  } finally {
    await pool.end()
  }
}

async function spreadMissing(client: Client, shards: number): Promise<string[]> {
  const { rows } = await client.query(
    "SELECT logicalrelid::text AS name FROM pg_dist_partition WHERE partmethod = 'h'",
  )
  const done = new Set(rows.map(({ name }) => name))
  const missing = spread.filter(({ table }) => !done.has(table))
  if (missing.length > 0) await assertNoServer(client)
  await client.query(ourTriggersAreSafe)
  for (const { table, by, with: other } of missing)
    await client.query('SELECT create_distributed_table($1, $2, colocate_with => $3, shard_count => $4)', [
      table,
      by,
      other,
      other === 'none' ? shards : null, // the other table's
    ])
  return missing.map(({ table }) => table)
}

/** A server learns at its start whether the ledger is distributed. It would answer every award with an error. */
async function assertNoServer(client: Client): Promise<void> {
  if (await isServed(client))
    throw new Error('nothing was changed: a server is running on this ledger. Stop it first')
}

async function assertCitus(client: Client): Promise<void> {
  const { rows } = await client.query(`
    SELECT (SELECT count(*) FROM pg_extension WHERE extname = 'citus')::int AS installed`)
  if (rows[0].installed === 0) {
    throw new Error(
      'this is plain PostgreSQL: distribute needs the coordinator of a Citus cluster (CREATE EXTENSION citus, citus_add_node for its workers)',
    )
  }
  const coordinator = await client.query('SELECT 1 FROM pg_dist_node WHERE groupid = 0')
  if (coordinator.rows.length === 0) {
    throw new Error(
      "the coordinator does not know its own address: run SELECT citus_set_coordinator_host('its host name') first",
    )
  }
}
