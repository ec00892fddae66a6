import { type Client, explained, openPool, withClient } from './database.ts'
import { assertMigrated } from './migrate.ts'

/**
 * The layout beyond one machine. An account's row and its entries live on one shard, a tenant's user counters on
 * another; what operators set is small and has a copy on every node. So every statement of an award goes to one
 * shard, and a batch touches at most two nodes.
 */
const layout: { table: string; by: string | null; with?: string }[] = [
  { table: 'migrations', by: null },
  { table: 'partners', by: null },
  { table: 'tenants', by: null },
  { table: 'grants', by: null },
  { table: 'keys', by: null },
  { table: 'audit', by: null },
  { table: 'audit_head', by: null },
  { table: 'default_caps', by: null },
  { table: 'settings_version', by: null },
  { table: 'keepsakes', by: null },
  { table: 'accounts', by: 'partner_id' },
  { table: 'entries', by: 'partner_id', with: 'accounts' },
  { table: 'user_days', by: 'tenant_id' },
]

/**
 * Turns a migrated database, empty or filled, on a Citus coordinator into a distributed one; gives the tables it
 * moved. Whatever is distributed already stays as it is, so it can be run again, also after it was interrupted.
 */
export async function distributePostgres(url: string): Promise<string[]> {
  const pool = openPool(url, { connectionsMax: 1 })
  try {
    return await explained(() => withClient(pool, distributeOn))
  } finally {
    await pool.end()
  }
}

async function distributeOn(client: Client): Promise<string[]> {
  await assertMigrated(client)
  await assertCitus(client)
  return await distributeMissing(client)
}

async function distributeMissing(client: Client): Promise<string[]> {
  // Not citus_tables: it also lists tables that Citus only knows of, because others refer to them.
  const { rows } = await client.query(`
    SELECT logicalrelid::text AS name FROM pg_dist_partition WHERE partmethod = 'h' OR repmodel = 't'`)
  const done = new Set(rows.map(({ name }) => name))
  const missing = layout.filter(({ table }) => !done.has(table))
  // Our triggers only refuse: they read and change nothing elsewhere, which is what makes others unsafe.
  await client.query('SET citus.enable_unsafe_triggers TO on')
  for (const { table, by, with: other } of missing) {
    if (by === null) await client.query('SELECT create_reference_table($1)', [table])
    else {
      const together = other ?? 'none'
      await client.query('SELECT create_distributed_table($1, $2, colocate_with => $3)', [
        table,
        by,
        together,
      ])
    }
  }
  return missing.map(({ table }) => table)
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
