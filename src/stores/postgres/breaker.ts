import type { Clock } from '../../clock.ts'
import { LockTimeout, Unavailable } from '../../ledger/errors.ts'
import type { Commit } from '../../ledger/commit-batch.ts'
import { rememberFailedAwards } from '../failed-awards.ts'
import { isWorkerLost } from './citus/lost-worker.ts'
import { Silent } from './commit.ts'
import { namesAnAward, Unconfirmed } from './commit-confirmation.ts'
import { readOnly, sqlStateOf, Unreachable } from './database.ts'

/**
 * Keeps commits away from a database that does not confirm them. It is *closed* (commits pass) or *open*: a commit
 * that was not confirmed opens it, the next confirmed one closes it.
 *
 * While it is open, one commit at a time is let through as a probe, and only if no session still waits for the
 * standby; the others are refused at once. A session that we gave up on waits for the standby until it is back, and
 * cancelling it would only commit without the standby. So the number of such sessions must be bounded here: without
 * the breaker, every retry would leave one more of them, until PostgreSQL has no connection left for anybody.
 */
export type Breaker = {
  guard(commit: Commit): Commit
  /** A commit that began at `sinceMs` was confirmed just now. */
  confirmed(sinceMs: number): void
  /** Whether a commit was confirmed within the last `ms`, or twice the time that it took, and none has failed since. */
  isConfirmedWithin(ms: number): boolean
  /** Whether one was confirmed after this time, and none has failed since. */
  isConfirmedSince(ms: number): boolean
  /** Throws while awards fail because the database cannot write them. */
  assertWrites(): void
  /** Whether, since this was last asked, an award failed because its connection is read-only. */
  sawReadOnly(): boolean
}

/** With a slow standby, confirmations are as far apart as a commit takes. The limit is less than an award waits. */
const recentMaxMs = 4_000

/** `assertNobodyWaits` throws while one of our sessions waits for the standby, or when that is not known. */
export function createBreaker(assertNobodyWaits: () => Promise<void>, clock: Clock): Breaker {
  let open = false
  let probing = false
  let confirmedAt = Number.NEGATIVE_INFINITY
  let commitMs = 0
  let readOnlySeen = false
  const failedAwards = rememberFailedAwards(clock)

  function confirmed(sinceMs: number): void {
    open = false
    confirmedAt = clock.elapsed()
    commitMs = confirmedAt - sinceMs
  }

  return {
    guard(commit) {
      const run: Commit = async (commands, lockWait) => {
        const sinceMs = clock.elapsed()
        try {
          const outcomes = await commit(commands, lockWait)
          // Of nothing but refusals, nothing was committed.
          if (outcomes.some(namesAnAward)) confirmed(sinceMs)
          failedAwards.succeeded(outcomes)
          return outcomes
        } catch (error) {
          if (error instanceof Unconfirmed) open = true
          if (error instanceof Unavailable) {
            confirmedAt = Number.NEGATIVE_INFINITY
            if (sqlStateOf(error.cause) === readOnly) readOnlySeen = true
          }
          const failure = unknownToProbes(error)
          if (failure !== null) failedAwards.failed(commands, failure.why, failure.forMs)
          throw error
        }
      }
      return async (...batch) => {
        if (!open) return run(...batch)
        if (probing) throw new Unavailable('the database does not confirm commits at the moment')
        probing = true
        try {
          await assertNobodyWaits()
          return await run(...batch)
        } finally {
          probing = false
        }
      }
    },
    confirmed,
    isConfirmedWithin: (ms) =>
      !open && clock.elapsed() - confirmedAt <= Math.max(ms, Math.min(2 * commitMs, recentMaxMs)),
    isConfirmedSince: (ms) => confirmedAt > ms,
    assertWrites: failedAwards.assertNone,
    sawReadOnly() {
      const seen = readOnlySeen
      readOnlySeen = false
      return seen
    },
  }
}

/** A disk that is full, and one that fails. */
const notWritten = new Set(['53100', '58030'])

/** Locks and deadlocks pass. That the session ended, or that it is read-only, readiness.ts finds out by itself. */
const passesOrIsNoticed = /^(08|40|55P03|57P0|25006)/

/** A network that is silent for awards only passes short statements, but not long ones. Otherwise new connections work by then. */
const silentForMs = 5_000

/**
 * Why a batch failed, if the probe for `/readyz` may succeed all the same. It does not meet what somebody has done to a table,
 * such as a trigger or a constraint, a full disk, or a bug of ours. It does meet a database that is away or does not confirm.
 */
function unknownToProbes(error: unknown): { why: string; forMs?: number } | null {
  if (error instanceof LockTimeout || error instanceof Unreachable) return null
  const { cause, message } = error as Error
  if (!(error instanceof Unavailable)) return { why: `an unexpected error: ${message}` }
  if (cause instanceof Silent) return { why: message, forMs: silentForMs }
  const code = sqlStateOf(cause)
  if (code === null) return error instanceof Unconfirmed && cause === undefined ? { why: message } : null
  if (passesOrIsNoticed.test(code) || isWorkerLost(cause)) return null
  const what = notWritten.has(code) ? 'the database cannot write them' : message
  return { why: `${what}: ${(cause as Error).message}` }
}
