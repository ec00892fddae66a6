import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../clock.ts'
import type { Commit, LockWait } from '../../ledger/commit-batch.ts'
import { LockTimeout, Unavailable } from '../../ledger/errors.ts'
import { decideBatch, type Outcome } from '../../rules/decide-batch.ts'
import type { AwardCommand } from '../../rules/entry.ts'
import { type BatchSetup, loadFacts, loadKnown } from './batch-facts.ts'
import { type BatchKind, silentMaxMs } from './batch-kind.ts'
import { writeStatements } from './batch-write.ts'
import type { Crowd } from './crowd.ts'
import { isWorkerAway, isWorkerLost } from './citus/lost-worker.ts'
import { namesAnAward, Unconfirmed, watchWarnings } from './commit-confirmation.ts'
import {
  asUnavailable,
  type Client,
  isConnectionLost,
  isSessionEnded,
  isTimeout,
  type Pool,
  type Result,
  sqlStateOf,
  usingClient,
  withClient,
} from './database.ts'
import { pipelined, type Statement } from './pipeline.ts'

const attemptsMax = 6
const jitterMs = 30
const rememberedMs = 10_000
const lockHeld =
  'another transaction, of another node or an operator, holds a lock that these awards need; they are retried until their deadline. If this persists, look for a long transaction in pg_stat_activity'
const workerAway = 'a worker of the Citus cluster cannot be reached'

/**
 * `races`: when this node last lost a race for a user's first award of a day, so that the next batches do not enter one.
 * `replays`: when an order that was expected to be new was not, so that the next batches look first.
 */
export type CommitOptions = {
  batches: BatchKind
  clock: Clock
  crowd?: Crowd
  races?: { seenAt: number }
  replays?: { seenAt: number }
}

/**
 * One batch, in one transaction and two round trips: BEGIN with everything that locks and loads; then, after deciding
 * in memory, everything that writes with COMMIT.
 *
 * Until COMMIT is sent, a failure is certain: nothing was written. Temporary failures (a deadlock, two tenants racing for
 * one orderId, a broken connection) are retried from the start, a few times. After COMMIT was sent, only the database
 * knows. Unless it confirms the COMMIT without a warning, the outcome is unknown: the awards get 503, nothing is retried,
 * and the partner's replay finds out.
 */
export function prepareCommit(pool: Pool, options: CommitOptions): Commit {
  return (commands, lockWait) => commitOn(pool, options, commands, lockWait)
}

/** With a turn, the first attempt is made in the transaction that waited for it. */
export async function commitOn(
  pool: Pool,
  {
    batches,
    clock,
    crowd,
    races,
    replays,
    turn,
  }: CommitOptions & { turn?: { client: Client; askedAt: number } },
  commands: AwardCommand[],
  lockWait: LockWait = 'long',
): Promise<Outcome[]> {
  if (commands.length === 0) return []
  const { begin, waitMaxMs } = batches.lockWaits[lockWait]
  const { statements } = batches
  // No attempt starts after this time: the deadline of its awards is near, and once they have got 503, a replay on
  // another node may be decided. A retry could contradict it.
  const retryUntil = clock.elapsed() + waitMaxMs
  const isRecent = (what?: { seenAt: number }) =>
    what !== undefined && clock.elapsed() - what.seenAt <= rememberedMs
  let makesUserDays = isRecent(races)
  let expectsNewOrders = batches.expectsNewOrders && !isRecent(replays)
  for (let attempt = 1; ; attempt++) {
    const inTurn = attempt === 1 ? turn : undefined
    const hasBegun = inTurn !== undefined
    const setup = { begin, hasBegun, makesUserDays, expectsNewOrders, statements, now: clock.now() }
    // Excludes the time to open a connection, which is not a wait for a lock.
    const work = (client: Client) =>
      runBatch(client, commands, setup, {
        askedAt: inTurn?.askedAt ?? clock.elapsed(),
        waitMaxMs,
        clock,
        crowd,
      })
    try {
      return await (inTurn === undefined ? withClient(pool, work) : usingClient(inTurn.client, work))
    } catch (error) {
      if (!(error instanceof NothingCommitted)) throw error
      const { cause } = error
      // A brief wait says nothing about a crowd.
      if (lockWait === 'brief' && sqlStateOf(cause) === lockNotAvailable)
        throw new LockTimeout(lockHeld, { cause })
      if (lockWait === 'short' && sqlStateOf(cause) === lockNotAvailable) {
        const inCrowd = (await crowd?.timedOut({ inTurn: inTurn !== undefined })) ?? false
        throw new LockTimeout(lockHeld, { cause, inCrowd })
      }
      if (!isTemporary(cause)) {
        // Of a shared batch, perhaps only some accounts need that worker.
        if (lockWait === 'short' && isWorkerAway(cause)) throw new LockTimeout(workerAway, { cause })
        throw asUnavailable(cause)
      }
      if (isUserDayRace(cause)) {
        makesUserDays = true // of many batches in the race, all but one would lose it again
        if (races !== undefined) races.seenAt = clock.elapsed()
      }
      if (isOrderRace(cause)) {
        expectsNewOrders = false
        if (replays !== undefined) replays.seenAt = clock.elapsed()
      }
      // Too little time for another attempt. The long wait, which follows, has more.
      if (lockWait === 'brief' && clock.elapsed() >= retryUntil) throw new LockTimeout(lockHeld, { cause })
      // The time was spent waiting for another transaction's lock. The batch itself is fine and may wait again.
      if (lockWait === 'short' && clock.elapsed() >= retryUntil && isRaceOrDeadlock(cause))
        throw new LockTimeout(lockHeld, { cause, inCrowd: true })
      if (attempt === attemptsMax || clock.elapsed() >= retryUntil) {
        // Somebody ended our sessions: perhaps because they waited for a lock, which only some accounts need.
        if (lockWait === 'short' && (isSessionEnded(cause) || isCut(cause)))
          throw new LockTimeout(lockHeld, { cause })
        throw new Unavailable('the award did not get through to the database', { cause })
      }
      await sleep(randomInt(jitterMs * attempt))
    }
  }
}

/** Nothing of the batch was committed. */
class NothingCommitted extends Error {}

type BatchTimes = { askedAt: number; waitMaxMs: number; clock: Clock; crowd: Crowd | undefined }

async function runBatch(
  client: Client,
  commands: AwardCommand[],
  setup: BatchSetup,
  { askedAt, waitMaxMs, clock, crowd }: BatchTimes,
): Promise<Outcome[]> {
  const { facts, locked } = await beforeCommit(loadFacts(client, commands, setup))
  const lockedAt = clock.elapsed()
  let decision = decideBatch(commands, facts, setup.now)
  // A replay is a duplicate, also where a new order would be rejected.
  if (setup.expectsNewOrders && decision.outcomes.some(({ kind }) => kind !== 'credited')) {
    await beforeCommit(loadKnown(client, commands, facts, setup.statements))
    decision = decideBatch(commands, facts, setup.now)
  }
  // All awards were rejected. The rollback also removes the rows that were created only to be locked. A duplicate or a
  // conflict is committed: so it waits for the standby, as its original did.
  if (!decision.outcomes.some(namesAnAward)) {
    await beforeCommit(client.query('ROLLBACK'))
    return decision.outcomes
  }
  await commitWrites(client, writeStatements(setup.statements, locked, decision), waitMaxMs)
  crowd?.gotThrough({ lockMs: lockedAt - askedAt, writeMs: clock.elapsed() - lockedAt })
  return decision.outcomes
}

async function beforeCommit<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw new NothingCommitted('before COMMIT', { cause: isTimeout(error) ? silent(error) : error })
  }
}

/** The connection was silent although it had nothing to wait for but locks, for which there is a limit. */
export class Silent extends Error {}

function silent(cause: unknown): Silent {
  return new Silent('the database does not respond', { cause })
}

/** Not by our own limit: a proxy may close connections on which nothing passes. */
function isCut(error: unknown): boolean {
  return isConnectionLost(error) && !(error instanceof Silent)
}

/** SQLSTATEs that always mean "rolled back": class 40 except 40003, "statement completion unknown". */
const rolledBack = /^40(?!003)/

/**
 * Writes and commits. A failure is certain only if the database itself reports a rollback. PostgreSQL reports an
 * interrupted wait for the synchronous standby as success, with a warning. Only COMMIT waits for that standby: the first write
 * tells sooner whether the connection is dead. It may wait for a lock, that of another tenant's award with the same orderId.
 */
async function commitWrites(
  client: Client,
  [first, ...others]: Statement[],
  waitMaxMs: number,
): Promise<void> {
  const limited = first === undefined ? [] : [{ ...first, query_timeout: waitMaxMs + silentMaxMs }]
  const writes: Statement[] = [...limited, ...others]
  const warnings = watchWarnings(client)
  const settled = await pipelined(client, [...writes, { text: 'COMMIT' }])
  const warned = warnings.end()
  const commit = settled.at(-1)!
  const failed = settled.find((result) => result.status === 'rejected')
  if (commit.status === 'rejected') {
    if (rolledBack.test(sqlStateOf(commit.reason) ?? '')) {
      throw new NothingCommitted('rolled back', { cause: commit.reason })
    }
    const isSilent = failed !== commit && isTimeout(failed!.reason)
    throw new Unconfirmed('the outcome of the commit is not known', {
      cause: isSilent ? silent(failed!.reason) : commit.reason,
    })
  }
  if (commit.value.command === 'ROLLBACK') {
    throw new NothingCommitted('rolled back', { cause: failed?.reason ?? new Error('no write had failed') })
  }
  if (warned || failed !== undefined) {
    throw new Unconfirmed('the commit may not be durable', { cause: failed?.reason })
  }
  const isIncomplete = ({ affects }: Statement, index: number) =>
    affects !== undefined && (settled[index] as PromiseFulfilledResult<Result>).value.rowCount !== affects
  if (writes.some(isIncomplete)) throw new Unconfirmed('the database has not written every row of the awards')
}

const deadlock = '40P01'
const serializationFailure = '40001'
const lockNotAvailable = '55P03'
const uniqueViolation = '23505'

function isRaceOrDeadlock(error: unknown): boolean {
  return isRace(error) || sqlStateOf(error) === deadlock
}

function isTemporary(error: unknown): boolean {
  const code = sqlStateOf(error)
  if (isRace(error) || isWorkerLost(error)) return true
  if (code === deadlock || code === serializationFailure || isSessionEnded(error)) return true
  // The connection was broken, perhaps long ago. If the database is really unreachable, the next connection fails too.
  return isConnectionLost(error)
}

/**
 * Two tenants of one partner raced for an orderId, or two partners for the first award of a user's day: the next
 * attempt finds what the other one has committed. Or, on Citus, a shard moved to another node between our two trips,
 * where our locks do not exist: another transaction was first there. The primary key of the entries reports it, or a
 * counter that is not what it was (citus/one-shard.ts).
 *
 * Citus does not pass on the shard's constraint, and not always its SQLSTATE. But its message names the constraint.
 */
export function isRace(error: unknown): boolean {
  return movedShard.test(violatedIn(error)) || isOrderRace(error) || isUserDayRace(error)
}

const movedShard = /\bentries_pkey_\d+\b/

function isOrderRace(error: unknown): boolean {
  const violated = violatedIn(error)
  return (
    /\bentries_by_order(_\d+)?\b/.test(violated) ||
    (violated !== 'entries_pkey' && isTakenIn('entries', error))
  )
}

function isUserDayRace(error: unknown): boolean {
  return /\buser_days_(pkey|points_check)(_\d+)?\b/.test(violatedIn(error)) || isTakenIn('user_days', error)
}

/** PostgreSQL itself also names the table. Somebody may have renamed its index, or made it again with another name. */
function isTakenIn(table: string, error: unknown): boolean {
  return sqlStateOf(error) === uniqueViolation && (error as { table?: string }).table === table
}

function violatedIn(error: unknown): string {
  const { constraint, message } = error as { constraint?: string; message?: string }
  return (constraint ?? message ?? '').replace(whileReplaced, '')
}

/** REINDEX CONCURRENTLY has two indexes for a while. The first to refuse a row may be the one with this in its name. */
const whileReplaced = /_cc(new|old)\d*\b/
