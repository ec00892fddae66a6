import type { Client } from '../database.ts'

export type Node = { host: string; port: number }
/** The rows of one node, or an error text if it did not respond. */
type NodeRows<Row> = { node: string; rows: Row[] } | { node: string; error: string }

/** The nodes that have a part of the ledger. */
export async function nodesOfLedger(client: Client): Promise<Node[]> {
  const { rows } = await client.query(`
    SELECT nodename AS host, nodeport AS port FROM pg_dist_node AS node
    WHERE noderole = 'primary' AND EXISTS (
      SELECT FROM pg_dist_placement JOIN pg_dist_shard USING (shardid)
      WHERE pg_dist_placement.groupid = node.groupid
        AND logicalrelid::oid IN ('accounts'::regclass::oid, 'entries'::regclass::oid, 'user_days'::regclass::oid))
    ORDER BY groupid`)
  return rows
}

/**
 * Runs a query on each of these nodes, on all of them at once, each on a connection of its own from the coordinator,
 * outside of any transaction.
 */
export async function onNodes<Row>(
  client: Client,
  nodes: Node[],
  sql: string | ((node: Node) => string),
): Promise<NodeRows<Row>[]> {
  const commands = nodes.map((node) => {
    const query = typeof sql === 'string' ? sql : sql(node)
    return `SELECT coalesce(pg_catalog.json_agg(pg_catalog.to_json(row_of_node)), '[]') FROM (${query}) AS row_of_node`
  })
  const { rows } = await client.query(
    `SELECT node_name || ':' || node_port AS node, success, result
     FROM master_run_on_worker($1::text[], $2::int[], $3::text[], true)`,
    [nodes.map(({ host }) => host), nodes.map(({ port }) => port), commands],
  )
  return rows.map(({ node, success, result }) =>
    success ? { node, rows: JSON.parse(result) as Row[] } : { node, error: String(result) },
  )
}

/** The rows of all nodes; throws if one of them did not respond. */
export function rowsOfAll<Row>(results: NodeRows<Row>[]): (Row & { node: string })[] {
  return results.flatMap((result) => {
    if ('error' in result) throw new Error(`the node ${result.node} did not respond: ${result.error}`)
    return result.rows.map((row) => ({ ...row, node: result.node }))
  })
}
