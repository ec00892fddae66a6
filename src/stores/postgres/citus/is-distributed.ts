import type { Client } from '../database.ts'

/** Whether the ledger of this database is spread over the nodes of a Citus cluster (`distribute`). */
export async function isDistributed(client: Client): Promise<boolean> {
  // Two questions: without the extension the second one would not even be understood.
  const { rows } = await client.query(
    "SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL AS citus",
  )
  if (!rows[0].citus) return false
  const found = await client.query(`
    SELECT FROM pg_catalog.pg_dist_partition
    WHERE logicalrelid::oid = to_regclass('accounts')::oid AND partmethod = 'h'`)
  return found.rows.length > 0
}
