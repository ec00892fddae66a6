import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../clock.ts'
import { Unavailable } from '../../ledger/errors.ts'
import { assertDefaultCapsReadable } from '../damaged-row.ts'
import type { Breaker } from './breaker.ts'
import { checkWorkers, coordinatorWarnings } from './citus/worker-check.ts'
import { hearWarnings, Unconfirmed, waitForStandby, watchWarnings } from './commit-confirmation.ts'
import { brieflyIdle, type Client, type Pool, reading, sqlStateOf, withClient } from './database.ts'
import { oldSnapshotWarnings } from './long-readers.ts'
import { loadDefaultCaps } from './partner-records.ts'
import { assertTablesFound, selfCheck } from './self-check.ts'

/** A commit this recent shows that awards can be made durable. */
const recentMs = 1_000
const answerWithinMs = 900
/** Less, so that the reason is given. */
const lockWithinMs = 500
const lockTimeout = '55P03'

/**
 * Whether an award could be made durable now. Where no commit was confirmed within the last second, one is tried that
 * changes nothing, on a connection of its own: it never queues with the awards. Concurrent
 * callers share one result, so at most one more session waits for a standby that is unreachable.
 */
export function createReadiness(
  { health, writers }: { health: Pool; writers: Pool },
  breaker: Breaker,
  { clock, distributed }: { clock: Clock; distributed: boolean },
): () => Promise<string[]> {
  let checking: Promise<string[]> | null = null

  async function check(): Promise<string[]> {
    breaker.assertRoom()
    let isRecent = false
    const warnings = await reading(health, clock, async (client) => {
      const found = [...(await selfCheck(client, clock.now)), ...(await oldSnapshotWarnings(client))]
      await assertTablesFound(client)
      await assertDefaultCapsReadable(() => loadDefaultCaps(client))
      if (distributed) found.push(...(await clusterWarnings(client)))
      isRecent = breaker.isConfirmedWithin(recentMs)
      if (!isRecent) await assertNobodyWaits(client, distributed)
      return found
    })
    if (isRecent) return warnings
    // The connections that awards need may be refused while this one lives. Where none is idle, one must be had.
    if (writers.idleCount === 0) await withClient(writers, async () => {})
    const sinceMs = clock.elapsed()
    await reading(health, clock, (client) => commitNothing(client, distributed))
    breaker.confirmed(sinceMs)
    return warnings
  }

  return () => {
    checking ??= check().finally(() => {
      checking = null
    })
    return withinLimit(checking)
  }
}

/**
 * On Citus an award needs the coordinator and the workers of its partner and its tenant. While some of them are away,
 * awards on the others go on: every server of the cluster is in the same state, and to take all of them out of service
 * would only make it worse. With none of them left, no award can be made.
 */
async function clusterWarnings(client: Client): Promise<string[]> {
  const { warnings, able } = await checkWorkers(client)
  if (able === 0) throw new Unavailable(`no worker takes commits: ${warnings.join('; ')}`)
  return [...(await coordinatorWarnings(client)), ...warnings]
}

/** Asked by the breaker, in the same bounded time. */
export function createWaitingCheck(
  health: Pool,
  { clock, distributed }: { clock: Clock; distributed: boolean },
): () => Promise<void> {
  return () => withinLimit(reading(health, clock, (client) => assertNobodyWaits(client, distributed)))
}

/**
 * Every commit waits briefly for the standby. One that has waited for a second means that the standby is away. Sessions
 * of other nodes count too, and so do those that we have abandoned. On Citus it may be the standby of a worker, and the
 * coordinator's session waits for the worker.
 */
async function assertNobodyWaits(client: Client, distributed: boolean): Promise<void> {
  const { rows } = await client.query(`
    SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE datname = current_database() AND usename = session_user
      AND (wait_event = 'SyncRep' ${distributed ? "OR state = 'active' AND query = 'COMMIT'" : ''})
      AND clock_timestamp() - query_start > interval '1 second'`)
  if (rows[0].count > 0) throw new Unavailable('commits are waiting for the synchronous standby')
}

/**
 * Writes a message to the write-ahead log, but no row: its COMMIT has to be made durable like an award's. It takes the locks
 * of an award's statements on their tables, too; on Citus that would take those of every shard.
 */
async function commitNothing(client: Client, distributed: boolean): Promise<void> {
  await client.query(`BEGIN; ${waitForStandby}; ${hearWarnings}; ${brieflyIdle}`)
  if (!distributed) await lockTables(client)
  await client.query("SELECT pg_logical_emit_message(true, 'partner-credit', 'ready')")
  const warnings = watchWarnings(client) // only of the COMMIT, as for an award
  await client.query('COMMIT')
  if (warnings.end()) throw new Unconfirmed('the commit may not be durable')
}

async function lockTables(client: Client): Promise<void> {
  const lock = 'LOCK TABLE accounts, entries, user_days IN ROW EXCLUSIVE MODE'
  await client.query(`SET LOCAL lock_timeout = ${lockWithinMs}; ${lock}`).catch((error) => {
    if (sqlStateOf(error) !== lockTimeout) throw error
    throw new Unavailable(
      'another session has locked a table that awards are written to, perhaps by CREATE INDEX or VACUUM FULL: see pg_locks',
      { cause: error },
    )
  })
}

async function withinLimit<T>(work: Promise<T>): Promise<T> {
  const timer = new AbortController()
  const late = sleep(answerWithinMs, undefined, { ref: false, signal: timer.signal }).then(() => {
    throw new Unavailable(`the database did not confirm a commit within ${answerWithinMs} ms`)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    late.catch(() => {})
    timer.abort()
  }
}
