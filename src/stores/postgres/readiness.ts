import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../clock.ts'
import { Unavailable } from '../../ledger/errors.ts'
import { assertDefaultCapsReadable } from '../damaged-row.ts'
import type { Breaker } from './breaker.ts'
import { checkWorkers, coordinatorWarnings } from './citus/worker-check.ts'
import { hearWarnings, Unconfirmed, waitForStandby, watchWarnings } from './commit-confirmation.ts'
import { brieflyIdle, type Client, connect, type Pool, reading, sqlStateOf, withClient } from './database.ts'
import { oldSnapshotWarnings } from './long-readers.ts'
import { loadDefaultCaps } from './partner-records.ts'
import { selfCheck } from './self-check.ts'
import { checkTables } from './table-check.ts'

/** A commit this recent shows that awards can be made durable. */
const recentMs = 1_000
const answerWithinMs = 900
/** An award waits this long for a lock on a table, and may then still succeed. */
const lockedMaxMs = 4_000

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
  let lockedSince: number | null = null

  /** A table that awards use may be locked for some seconds: then a commit without it tells the rest, and this is false. */
  async function tryCommit(): Promise<boolean> {
    const use = distributed ? '' : useTables
    try {
      await reading(health, clock, (client) => commitNothing(client, use))
      return true
    } catch (error) {
      if (!isLockTimeout(error)) throw error
      if (lockedSince === null || breaker.isConfirmedSince(lockedSince)) lockedSince = clock.elapsed()
      if (clock.elapsed() - lockedSince >= lockedMaxMs) throw new Unavailable(tableLocked, { cause: error })
      await reading(health, clock, (client) => commitNothing(client, ''))
      return false
    }
  }

  async function check(): Promise<string[]> {
    // A setting of the role or the database counts for new connections only: this one may be older than the award's.
    if (breaker.sawReadOnly()) (await connect(health)).release(true)
    let isRecent = false
    const warnings = await reading(health, clock, async (client) => {
      const found = [...(await selfCheck(client, clock.now)), ...(await oldSnapshotWarnings(client))]
      await checkTables(client)
      await assertDefaultCapsReadable(() => loadDefaultCaps(client))
      if (distributed) found.push(...(await clusterWarnings(client)))
      isRecent = breaker.isConfirmedWithin(recentMs)
      if (!isRecent) await assertNobodyWaits(client, distributed)
      return found
    })
    breaker.assertWrites() // after the checks, which may say better why
    if (isRecent) return warnings
    // The connections that awards need may be refused while this one lives. Where none is idle, one must be had.
    if (writers.idleCount === 0) await withClient(writers, async () => {})
    const sinceMs = clock.elapsed()
    if (await tryCommit()) breaker.confirmed(sinceMs)
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

/** Writes a message to the write-ahead log, but no row: its COMMIT has to be made durable like an award's. */
async function commitNothing(client: Client, use: string): Promise<void> {
  await client.query(
    `${use} BEGIN; ${waitForStandby}; ${hearWarnings}; ${brieflyIdle}; SELECT pg_logical_emit_message(true, 'partner-credit', 'ready')`,
  )
  const warnings = watchWarnings(client) // only of the COMMIT, as for an award
  await client.query('COMMIT')
  if (warnings.end()) throw new Unconfirmed('the commit may not be durable')
}

/**
 * Takes the locks of an award on its tables, with no more privileges than an award needs (LOCK TABLE needs more). On Citus it
 * would take those of every shard. Gives them back at once: a COMMIT that waits for the standby would keep them.
 */
const useTables = `
  BEGIN; SET LOCAL lock_timeout = 200;
  INSERT INTO accounts (partner_id) SELECT NULL WHERE false;
  INSERT INTO entries (order_id) SELECT NULL WHERE false;
  INSERT INTO user_days (tenant_id) SELECT NULL WHERE false;
  SELECT FROM partners, grants, tenants WHERE false;
  ROLLBACK;`

const tableLocked =
  'another session has locked a table that awards use, or waits to lock it, perhaps for CREATE INDEX, VACUUM FULL or ALTER TABLE: see pg_locks'

function isLockTimeout(error: unknown): boolean {
  return error instanceof Unavailable && sqlStateOf(error.cause) === '55P03'
}

async function withinLimit<T>(work: Promise<T>): Promise<T> {
  const timer = new AbortController()
  const late = sleep(answerWithinMs, undefined, { ref: false, signal: timer.signal }).then(() => {
    throw new Unavailable(
      `the database did not answer, or did not confirm a commit, within ${answerWithinMs} ms`,
    )
  })
  try {
    return await Promise.race([work, late])
  } finally {
    late.catch(() => {})
    timer.abort()
  }
}
