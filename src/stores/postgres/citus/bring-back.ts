import type { Client } from '../database.ts'

/** What operators set, and what the program keeps beside the ledger. */
const onCoordinator = [
  ...['migrations', 'partners', 'tenants', 'grants', 'keys', 'audit', 'audit_head', 'default_caps'],
  ...['settings_version', 'keepsakes'],
]

/** Our triggers only refuse: they read and change nothing elsewhere, which is what makes others unsafe. */
export const ourTriggersAreSafe = 'SET citus.enable_unsafe_triggers TO on'

/**
 * Makes plain tables of the coordinator of those that an older version has copied to every node of a Citus cluster: such
 * copies can only be changed while all nodes are there. Inside of one transaction, since tables that refer to each other
 * move together. Returns those that it moved.
 */
export async function bringBack(client: Client): Promise<string[]> {
  const { rows } = await client.query("SELECT to_regclass('pg_catalog.pg_dist_partition') AS citus")
  if (rows[0].citus === null) return []
  await client.query(ourTriggersAreSafe)
  const moved: string[] = []
  for (;;) {
    const copied = await copiedTables(client)
    const [next] = copied
    if (next === undefined) return moved
    await client.query('SELECT undistribute_table($1, cascade_via_foreign_keys => true)', [next])
    const left = await copiedTables(client)
    moved.push(...copied.filter((table) => !left.includes(table)))
  }
}

/** Reference tables; Citus also knows of others, because those refer to them. */
async function copiedTables(client: Client): Promise<string[]> {
  const { rows } = await client.query(`
    SELECT logicalrelid::text AS name FROM pg_dist_partition
    WHERE partmethod = 'n' AND repmodel = 't' ORDER BY 1`)
  return rows.map(({ name }) => name).filter((name) => onCoordinator.includes(name))
}
