import type { Client } from '../database.ts'
import {
  layoutFaultIn,
  layoutQueries,
  type LayoutRows,
  replicationRole,
  silentTriggersFaultIn,
} from '../layout.ts'
import { namesOf } from '../ledger-schemas.ts'
import { type Node, onNodes, rowsOfAll } from './on-nodes.ts'

/** `schema`: quoted where SQL needs it, as is the name. */
type Shard = Node & {
  table: string
  shardId: string
  schema: string
  shardName: string
  least: number
  most: number
}
export type ShardLayout = { shardId: string; found: LayoutRows; role: string }

/**
 * What `layoutFault` looks at, of every shard on every node: the coordinator's tables are empty shells, and what keeps
 * the entries append-only is on the shards. And whether every row is on the shard where awards look for it.
 */
export async function shardLayoutFault(client: Client): Promise<string | null> {
  const shards = await shardsOfLedger(client)
  const shadowed = await shadowedNode(client, shards)
  if (shadowed !== undefined)
    return `on ${shadowed}, the search_path of the role names another schema before pg_catalog, where anything could take the place of PostgreSQL's own: ALTER ROLE or ALTER DATABASE … RESET search_path there`
  const layouts = await askNodes<ShardLayout>(client, shards, layoutsOf)
  const found = new Map(layouts.map((layout) => [`${layout.node} ${layout.shardId}`, layout]))
  for (const { host, port, table, shardId, shardName } of shards) {
    const layout = found.get(`${host}:${port} ${shardId}`)
    const fault =
      layout === undefined
        ? 'it is missing'
        : faultIn(table, withoutShardId(layout.found, shardId), layout.role)
    if (fault !== null) return `the shard ${shardName} on ${host}:${port}: ${fault}`
  }
  const [strange] = await askNodes<StrangeRow>(client, shards, strangeRowsOf)
  if (strange === undefined) return null
  const { shardName, value, node } = strange
  return `the shard ${shardName} on ${node}: has rows of ${value}, which belong on another shard, where awards do not find them`
}

function faultIn(table: string, found: LayoutRows, role: string): string | null {
  return layoutFaultIn(found, [table]) ?? silentTriggersFaultIn(found, role)
}

async function askNodes<Row>(client: Client, shards: Shard[], sql: (shards: Shard[]) => string) {
  const nodes = [...Map.groupBy(shards, ({ host, port }) => `${host}:${port}`).values()]
  const results = await onNodes<Row>(
    client,
    nodes.map(([first]) => first!),
    ({ host, port }) => sql(shards.filter((shard) => shard.host === host && shard.port === port)),
  )
  return rowsOfAll(results)
}

/** Asked alone and first: a function in such a schema could hide it from a later question. */
async function shadowedNode(client: Client, shards: Shard[]): Promise<string | undefined> {
  type Path = { path: string; role: string }
  const paths = await askNodes<Path>(
    client,
    shards,
    () => `SELECT pg_catalog.current_setting('search_path') AS path, current_user AS role`,
  )
  return paths.find(({ path, role }) => namesOf(path, role).indexOf('pg_catalog') > 0)?.node
}

/** As the coordinator knows them: that is where it sends its statements. */
async function shardsOfLedger(client: Client): Promise<Shard[]> {
  const { rows } = await client.query(`
    SELECT nodename AS host, nodeport AS port, relname AS "table", shardid::text AS "shardId",
      relnamespace::regnamespace::text AS schema, shard_name(logicalrelid, shardid) AS "shardName", shardminvalue::int AS least, shardmaxvalue::int AS most
    FROM pg_dist_shard JOIN pg_dist_placement USING (shardid) JOIN pg_dist_node USING (groupid)
      JOIN pg_class ON pg_class.oid = logicalrelid::oid
    WHERE noderole = 'primary'
      AND logicalrelid::oid IN ('accounts'::regclass::oid, 'entries'::regclass::oid, 'user_days'::regclass::oid)
    ORDER BY shardid, groupid`)
  return rows
}

/** The session there has a search_path of its own. */
const placeOf = ({ schema, shardName }: Shard) => `${schema}.${shardName}`

/** The shards are listed there under the names of their tables. */
export function layoutsOf(shards: Shard[]): string {
  const tables = shards
    .map((shard) => `('${shard.table}', ${shard.shardId}, '${placeOf(shard).replaceAll("'", "''")}')`)
    .join(', ')
  const rows = (kind: keyof typeof layoutQueries) => `
    (SELECT coalesce(pg_catalog.json_agg(found), '[]') FROM (${layoutQueries[kind](`
      SELECT oid, relkind, relpersistence, relrowsecurity, relispartition, shard.name AS relname
      FROM pg_class WHERE oid = to_regclass(shard.shard_name)::oid AND relkind = 'r'`)}) AS found)`
  return `
    SELECT shard.id::text AS "shardId", pg_catalog.json_build_object(
      'tables', ${rows('tables')}, 'constraints', ${rows('constraints')},
      'triggers', ${rows('triggers')}, 'columns', ${rows('columns')}, 'rules', ${rows('rules')}) AS found,
      ${replicationRole} AS role
    FROM set_config('quote_all_identifiers', 'off', false),
      (VALUES ${tables}) AS shard (name, id, shard_name)`
}

type StrangeRow = { shardName: string; value: string }

/** The partners and tenants with rows there, each found by the key, so that no other row is read. */
function strangeRowsOf(shards: Shard[]): string {
  const ofShard = (shard: Shard) => {
    const { table, shardName, least, most } = shard
    const place = placeOf(shard)
    const by = table === 'user_days' ? 'tenant_id' : 'partner_id'
    return `(
      WITH RECURSIVE found (value) AS (
        SELECT min(${by}) FROM ${place}
        UNION ALL
        SELECT (SELECT min(${by}) FROM ${place} WHERE ${by} > found.value) FROM found WHERE found.value IS NOT NULL)
      SELECT '${shardName}' AS "shardName", value FROM found
      WHERE worker_hash(value) NOT BETWEEN ${least} AND ${most} LIMIT 1)`
  }
  return shards.map(ofShard).join(' UNION ALL ')
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
