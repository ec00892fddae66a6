import type { Client } from './database.ts'
import type { Statement } from './pipeline.ts'

/** An award waits no longer than this; neither shall its transaction, which may hold locks that others need. */
const lockWaitMaxMs = 4_000

/**
 * Whatever the database's defaults are. Every statement sees what was committed before it: what a lock had to wait
 * for is then read as it is. A node that vanishes between its two trips, without a word, holds its account for some
 * seconds and not until TCP gives up.
 */
const transaction = [
  'BEGIN ISOLATION LEVEL READ COMMITTED',
  `SET LOCAL lock_timeout = ${lockWaitMaxMs}`,
  `SET LOCAL idle_in_transaction_session_timeout = ${2 * lockWaitMaxMs}`,
]

/**
 * The plans are made once and by keys: one made while the tables were empty would read them from end to end when they
 * no longer are.
 */
const onPostgres = [
  ...transaction,
  'SET LOCAL enable_seqscan = off',
  'SET LOCAL plan_cache_mode = force_generic_plan',
]

/**
 * Citus has no generic plan for INSERT … SELECT, and its workers plan every statement anew. The limits are for them,
 * who hold the locks; each is a message of its own, since what Citus passes on is the whole text of one.
 */
const onCitus = [transaction[0]!, "SET LOCAL citus.propagate_set_commands = 'local'", ...transaction.slice(1)]

/** How the transaction of a batch begins on this database. */
export async function beginOn(client: Client): Promise<Statement[]> {
  const { rows } = await client.query(
    "SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL AS citus",
  )
  return rows[0].citus ? onCitus.map((text) => ({ text })) : [{ text: onPostgres.join('; ') }]
}
