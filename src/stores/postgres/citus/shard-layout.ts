import type { Client } from '../database.ts'
import { layoutFaultIn, layoutQueries, type LayoutRows } from '../layout.ts'
import { type Node, onNodes, rowsOfAll } from './on-nodes.ts'

type Shard = Node & { table: string; shardId: string; shardName: string }
type ShardLayout = { shardId: string; found: LayoutRows }

/**
 * What `layoutFault` looks at, of every shard on every node: the coordinator's tables are empty shells, and what keeps
 * the entries append-only is on the shards.
 */
export async function shardLayoutFault(client: Client): Promise<string | null> {
  const shards = await shardsOfLedger(client)
  const nodes = [...Map.groupBy(shards, ({ host, port }) => `${host}:${port}`).values()]
  const layouts = await onNodes<ShardLayout>(
    client,
    nodes.map(([first]) => first!),
    ({ host, port }) => layoutsOf(shards.filter((shard) => shard.host === host && shard.port === port)),
  )
  const found = new Map(
    rowsOfAll(layouts).map((layout) => [`${layout.node} ${layout.shardId}`, layout.found]),
  )
  for (const { host, port, table, shardId, shardName } of shards) {
    const layout = found.get(`${host}:${port} ${shardId}`)
    const fault =
      layout === undefined ? 'it is missing' : layoutFaultIn(withoutShardId(layout, shardId), [table])
    if (fault !== null) return `the shard ${shardName} on ${host}:${port}: ${fault}`
  }
  return null
}

/** As the coordinator knows them: that is where it sends its statements. */
async function shardsOfLedger(client: Client): Promise<Shard[]> {
  const { rows } = await client.query(`
    SELECT nodename AS host, nodeport AS port, relname AS "table", shardid::text AS "shardId",
      shard_name(logicalrelid, shardid) AS "shardName"
    FROM pg_dist_shard JOIN pg_dist_placement USING (shardid) JOIN pg_dist_node USING (groupid)
      JOIN pg_class ON pg_class.oid = logicalrelid
    WHERE noderole = 'primary'
      AND logicalrelid IN ('accounts'::regclass, 'entries'::regclass, 'user_days'::regclass)
    ORDER BY shardid, groupid`)
  return rows
}

/** The shards are listed there under the names of their tables. */
function layoutsOf(shards: Shard[]): string {
  const tables = shards
    .map(({ table, shardId, shardName }) => `('${table}', ${shardId}, '${shardName}')`)
    .join(', ')
  const rows = (kind: keyof typeof layoutQueries) => `
    (SELECT coalesce(json_agg(found), '[]') FROM (${layoutQueries[kind](`
      SELECT oid, relkind, relpersistence, relrowsecurity, shard.name AS relname
      FROM pg_class WHERE oid = to_regclass(shard.shard_name) AND relkind = 'r'`)}) AS found)`
  return `
    SELECT shard.id::text AS "shardId", json_build_object(
      'tables', ${rows('tables')}, 'constraints', ${rows('constraints')},
      'triggers', ${rows('triggers')}, 'columns', ${rows('columns')}, 'rules', ${rows('rules')}) AS found
    FROM set_config('quote_all_identifiers', 'off', false),
      (VALUES ${tables}) AS shard (name, id, shard_name)`
}

/** Citus puts it behind the names of a shard's triggers. */
function withoutShardId(found: LayoutRows, shardId: string): LayoutRows {
  return {
    ...found,
    triggers: found.triggers.map((trigger) => ({
      ...trigger,
      name: trigger.name.replace(`_${shardId}`, ''),
      definition: trigger.definition.replaceAll(`_${shardId}`, ''),
    })),
  }
}
