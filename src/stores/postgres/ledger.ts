import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../clock.ts'
import { type GroupCommitLimits, groupCommit } from '../../ledger/group-commit.ts'
import type { CommitMeasures } from '../../ledger/commit-times.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { accountKey } from '../../rules/decide-batch.ts'
import type { BatchKind } from './batch-kind.ts'
import { createBreaker } from './breaker.ts'
import { forgetWhenRefused } from './citus/shard-map.ts'
import { prepareCommit } from './commit.ts'
import { createCrowd } from './crowd.ts'
import { countLockWaits } from './lock-waits.ts'
import type { Pool } from './database.ts'
import { openHistory } from './history.ts'
import { createReadiness, createWaitingCheck } from './readiness.ts'
import { takeNodeTurn } from './node-turns.ts'

type LedgerOptions = {
  batches: BatchKind
  clock: Clock
  limits: Partial<GroupCommitLimits> | undefined
}

/** Each kind of work has connections of its own: none waits for another's. */
type LedgerPools = { writers: Pool; history: Pool; health: Pool }

/** The shared ledger: a lane for each account, so that a busy partner never waits for its own row. */
export function createLedger(
  { writers, history, health }: LedgerPools,
  { batches, clock, limits }: LedgerOptions,
): Ledger & { measured(): CommitMeasures } {
  const breaker = createBreaker(
    createWaitingCheck(health, { clock, distributed: batches.distributed }),
    clock,
  )
  const crowd = createCrowd(clock, () => countLockWaits(health, clock))
  const { shards } = batches
  const never = () => ({ seenAt: Number.NEGATIVE_INFINITY })
  const options = { batches, clock, crowd, races: never(), replays: never() }
  const takesNodeTurns = () => batches.beginInTurn !== null && crowd.isCrowded()
  const commit = prepareCommit(writers, options)
  const laneForEachAccount = {
    commit: breaker.guard(shards === null ? commit : forgetWhenRefused(commit, shards)),
    takesNodeTurns,
    async takeNodeTurn() {
      const turn = await takeNodeTurn(writers, options)
      return turn && { ...turn, commit: breaker.guard(turn.commit) }
    },
    laneOf: accountKey,
    groupOf: shards?.groupOf ?? (() => 'all'),
    lanesPerCommit: batches.accountsMax,
    commitsMax: () => (takesNodeTurns() ? 1 : batches.commitsMax),
    commitsAloneMax: batches.commitsAloneMax,
    ...(batches.gatherMs > 0 && { gather: () => sleep(batches.gatherMs) }),
  }
  const awards = groupCommit(laneForEachAccount, clock, limits)
  const pages = openHistory(history, clock)
  return {
    award: awards.award,
    measured: awards.measured,
    historyPage: pages.historyPage,
    ready: createReadiness({ health, writers }, breaker, { clock, distributed: batches.distributed }),
    async close() {
      await Promise.all([awards.close(), pages.close()])
    },
  }
}
