import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, systemClock } from '../../../clock.ts'
import { Unavailable } from '../../../ledger/errors.ts'
import { brieflyIdle, type Client, type Pool, sqlStateOf, withClient } from '../database.ts'
import { nodesOfLedger, onNodes, rowsOfAll } from './on-nodes.ts'

/** No award waits longer for us; one that is stuck keeps us waiting, and we try again. */
const lockWaitMaxMs = 500
const betweenAttemptsMs = 300
const attemptsForMs = 30_000
/** Beyond the time after which Citus looks for them. */
const recoveryWaitMs = 15_000

/**
 * Begins a transaction that sees the whole ledger as of one instant, although every node of a Citus cluster has a
 * snapshot of its own, taken when the transaction first reads there. Awards are held back for that moment: each begins
 * with a lock on a row of `accounts`, and Citus keeps its lock on the table until all nodes have committed. So while
 * nobody else holds any, no award is under way, and all snapshots taken then are of the same state.
 *
 * An award that a crash has left between the two phases of its commit is on one node and not yet on another. Citus
 * finishes it by itself; until then there is no instant to look at, and this waits.
 */
export async function beginAtOneInstant(pool: Pool, reader: Client, begin: string): Promise<void> {
  await withClient(pool, async (holder) => {
    const nodes = await nodesOfLedger(holder)
    const attempts = createAttempts(systemClock)
    for (;;) {
      if (await holdAwards(holder)) {
        const unfinished = await unfinishedCommits(holder, nodes)
        if (unfinished === 0) break
        await holder.query('ROLLBACK')
        await attempts.waitForRecovery(unfinished, await recoveryIntervalMs(holder))
      } else await attempts.waitForLock()
    }
    try {
      // One connection to each node: a second one would have a snapshot of its own.
      for (const sql of [begin, 'SET LOCAL citus.max_adaptive_executor_pool_size = 1', passedOn])
        await reader.query(sql)
      for (const table of ['accounts', 'user_days']) await reader.query(`SELECT 1 FROM ${table} LIMIT 1`)
    } finally {
      await holder.query('ROLLBACK')
    }
  })
}

/** How the verifier has its statements planned is for the nodes that have the rows. */
const passedOn = "SET LOCAL citus.propagate_set_commands = 'local'"

async function holdAwards(holder: Client): Promise<boolean> {
  await holder.query(`BEGIN; SET LOCAL lock_timeout = ${lockWaitMaxMs}; ${brieflyIdle}`)
  try {
    await holder.query('LOCK TABLE accounts IN EXCLUSIVE MODE')
    return true
  } catch (error) {
    await holder.query('ROLLBACK')
    if (!lockNotGranted.test(sqlStateOf(error) ?? '')) throw error
    return false
  }
}

/** A lock timeout, or a deadlock with another process that locks the tables of all nodes. */
const lockNotGranted = /^(55P03|40P01)$/

async function unfinishedCommits(client: Client, nodes: Parameters<typeof onNodes>[1]): Promise<number> {
  const prepared = await onNodes<{ count: number }>(
    client,
    nodes,
    `SELECT count(*)::int FROM pg_prepared_xacts WHERE database = current_database() AND gid LIKE 'citus\\_%'`,
  )
  return rowsOfAll(prepared).reduce((sum, { count }) => sum + count, 0)
}

async function recoveryIntervalMs(client: Client): Promise<number> {
  const { rows } = await client.query(
    "SELECT setting::int AS ms FROM pg_settings WHERE name = 'citus.recover_2pc_interval'",
  )
  return Math.max(0, rows[0].ms)
}

function createAttempts(clock: Pick<Clock, 'elapsed'>) {
  const startedAt = clock.elapsed()
  async function waitUntil(giveUpAfterMs: number, message: string): Promise<void> {
    if (clock.elapsed() - startedAt > giveUpAfterMs) throw new Unavailable(message)
    await sleep(betweenAttemptsMs)
  }
  return {
    waitForLock: () =>
      waitUntil(
        attemptsForMs,
        'awards could not be paused for a moment, because a transaction on accounts does not end: look for it in pg_stat_activity of the coordinator',
      ),
    waitForRecovery: (count: number, intervalMs: number) =>
      waitUntil(
        intervalMs + recoveryWaitMs,
        `${count} commits that a crash has interrupted are not finished (pg_prepared_xacts on the workers), so the ledger cannot be judged yet: ` +
          'Citus finishes them every citus.recover_2pc_interval, or SELECT recover_prepared_transactions() does. Then run the command again',
      ),
  }
}
