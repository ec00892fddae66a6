import { Unavailable } from '../../../ledger/errors.ts'
import { type Client, sqlStateOf } from '../database.ts'
import { factsSelection, problemsOf, type ServerFacts, warningsOf } from '../self-check.ts'
import { type Node, nodesOfLedger, onNodes } from './on-nodes.ts'

/** All nodes are asked at once; if one of them hangs, each is asked alone. The caller waits for 900 ms at most. */
const togetherMaxMs = 400
const aloneMaxMs = 150

/** `able`: how many of them commit. */
type WorkersFound = { warnings: string[]; able: number }

/** Without what is known of the coordinator only. */
type Facts = Omit<ServerFacts, keyof typeof ofCoordinator> & DaemonFacts
const ofCoordinator = { skewMs: 0, lackedPrivileges: null }

/** The settings of a node that Citus' own processes depend on. */
export type DaemonFacts = {
  recoverIntervalMs: number
  workerProcesses: number
  parallelWorkers: number
  databases: number
  /** Prepared transactions of any database that have been there for a minute. */
  leftPrepared: number
}

/**
 * Looks at every node that has a part of the ledger: whether it has safe settings, as selfCheck does for the
 * coordinator, and whether it commits. What it commits changes nothing and takes the same way as an award.
 */
export async function checkWorkers(client: Client): Promise<WorkersFound> {
  const results = await askAll(client, await nodesOfLedger(client))
  const found: WorkersFound = { warnings: [], able: 0 }
  for (const result of results) {
    if ('reason' in result) {
      found.warnings.push(
        `the worker ${result.node} takes no commits (${result.reason}): awards of the partners on it are refused until it does`,
      )
      continue
    }
    const { node, facts } = result
    const problems = problemsOf({ ...facts, ...ofCoordinator })
    if (problems.length > 0)
      throw new Unavailable(`the worker ${node} cannot be used: ${problems.join('; ')}`)
    found.able++
    const warnings = [...warningsOf({ ...facts, ...ofCoordinator }), ...daemonWarnings(facts)]
    found.warnings.push(...warnings.map((warning) => `the worker ${node}: ${warning}`))
  }
  return found
}

/** Of the coordinator, which finishes what a crash has interrupted, and keeps shards in place (keep-in-place.ts). */
export async function coordinatorWarnings(client: Client): Promise<string[]> {
  const { rows } = await client.query(`
    SELECT ${daemonSelection}, current_user AS role, (
      SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = 'accounts'::regclass::oid) AS "isOwner"`)
  const [{ role, isOwner }] = rows
  if (!isOwner)
    throw new Unavailable(
      `the role ${role} does not own the table accounts, and only an owner may keep a shard from being moved during an award: connect as the owner`,
    )
  return daemonWarnings(rows[0])
}

const recoverIntervalMaxMs = 10_000

export function daemonWarnings(facts: DaemonFacts): string[] {
  const { recoverIntervalMs, workerProcesses, parallelWorkers, databases, leftPrepared } = facts
  const warnings: string[] = []
  if (recoverIntervalMs < 0 || recoverIntervalMs > recoverIntervalMaxMs) {
    const now = recoverIntervalMs < 0 ? 'off' : `${recoverIntervalMs / 1000} s`
    warnings.push(
      `citus.recover_2pc_interval is ${now}: after a crash, rows of interrupted commits stay locked that long. Set it to 5s`,
    )
  }
  // A process for each database, a few for moving shards, and those that PostgreSQL may take for itself.
  const needed = parallelWorkers + databases + 4
  if (workerProcesses < needed)
    warnings.push(
      `max_worker_processes is ${workerProcesses}: without a process to spare, Citus neither finishes interrupted commits nor notices deadlocks. Set it to ${needed} or more`,
    )
  if (leftPrepared > 0)
    warnings.push(
      `prepared transactions older than a minute: ${leftPrepared} (pg_prepared_xacts). They keep their rows locked and, whatever their database, shards from being moved. Run SELECT recover_prepared_transactions() in that database on the coordinator, or end them with ROLLBACK PREPARED if it is gone`,
    )
  return warnings
}

const daemonSelection = `
  (SELECT setting::int FROM pg_settings WHERE name = 'citus.recover_2pc_interval') AS "recoverIntervalMs",
  current_setting('max_worker_processes')::int AS "workerProcesses",
  current_setting('max_parallel_workers')::int AS "parallelWorkers",
  (SELECT count(*)::int FROM pg_database WHERE datallowconn) AS databases,
  (SELECT count(*)::int FROM pg_prepared_xacts WHERE prepared < now() - interval '1 minute') AS "leftPrepared"`

const workerQuery = `
  SELECT ${factsSelection}, ${daemonSelection},
    CASE WHEN NOT pg_is_in_recovery() THEN pg_logical_emit_message(true, 'partner-credit', 'ready') END AS probe`

type Asked = { node: string; facts: Facts } | { node: string; reason: string }

async function askAll(client: Client, nodes: Node[]): Promise<Asked[]> {
  const together = await ask(client, nodes, togetherMaxMs)
  if (together !== null) return together
  const asked: Asked[] = []
  for (const node of nodes) {
    const alone = await ask(client, [node], aloneMaxMs)
    asked.push(...(alone ?? [{ node: `${node.host}:${node.port}`, reason: 'it does not respond in time' }]))
  }
  return asked
}

/** Null if one of them does not respond in time. */
async function ask(client: Client, nodes: Node[], maxMs: number): Promise<Asked[] | null> {
  const limits = ['statement_timeout', 'citus.node_connection_timeout']
  await client.query(`BEGIN; ${limits.map((name) => `SET LOCAL ${name} = ${maxMs}`).join('; ')}`)
  try {
    const results = await onNodes<Facts>(client, nodes, workerQuery)
    return results.map((result) =>
      'error' in result
        ? { node: result.node, reason: result.error }
        : { node: result.node, facts: result.rows[0]! },
    )
  } catch (error) {
    if (sqlStateOf(error) !== canceled) throw error
    return null
  } finally {
    await client.query('ROLLBACK')
  }
}

const canceled = '57014'
