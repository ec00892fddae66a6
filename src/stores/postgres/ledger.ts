import type { Clock } from '../../clock.ts'
import { type GroupCommitLimits, groupCommit } from '../../ledger/group-commit.ts'
import { createHistoryQueue } from '../../ledger/history-queue.ts'
import type { Ledger, PageQuery } from '../../ledger/ledger.ts'
import { accountKey } from '../../rules/decide-batch.ts'
import { type HistoryEntry, historyPage } from '../../rules/history-page.ts'
import { columns } from '../columns.ts'
import type { BatchKind } from './batch-kind.ts'
import { createBreaker } from './breaker.ts'
import { prepareCommit } from './commit.ts'
import { createCrowd } from './crowd.ts'
import { type Pool, reading } from './database.ts'
import { createReadiness, createWaitingCheck } from './readiness.ts'
import { takeTurn } from './turns.ts'

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
): Ledger {
  const breaker = createBreaker(createWaitingCheck(health, clock), clock)
  const crowd = createCrowd(clock)
  const options = { batches, clock, crowd }
  const takesTurns = () => batches.beginInTurn !== null && crowd.isCrowded()
  const laneForEachAccount = {
    commit: breaker.guard(prepareCommit(writers, options)),
    takesTurns,
    async takeTurn() {
      const turn = await takeTurn(writers, options)
      return turn && { ...turn, commit: breaker.guard(turn.commit) }
    },
    laneOf: accountKey,
    groupOf: () => 'all',
    lanesPerCommit: batches.accountsMax,
    commitsMax: () => (takesTurns() ? 1 : batches.commitsMax),
    commitsAloneMax: batches.commitsAloneMax,
  }
  const awards = groupCommit(laneForEachAccount, clock, limits)
  const pages = createHistoryQueue((query) => readPage(history, clock, query), clock, {
    readsMax: history.options.max,
  })
  return {
    award: awards.award,
    historyPage: pages.page,
    ready: createReadiness({ health, writers }, breaker, clock),
    async close() {
      await Promise.all([awards.close(), pages.close()])
    },
  }
}

async function readPage(
  pool: Pool,
  clock: Clock,
  { partnerId, tenantId, beforeSeq, limit }: PageQuery,
): Promise<string> {
  const { rows } = await reading(pool, clock, (client) =>
    client.query<HistoryEntry>({
      name: 'awards-before',
      text: awardsBefore,
      values: [partnerId, tenantId, beforeSeq ?? Number.MAX_SAFE_INTEGER, limit + 1],
    }),
  )
  return JSON.stringify(historyPage({ partnerId, tenantId }, limit, rows))
}

const awardsBefore = `
  SELECT ${columns<HistoryEntry>('seq', 'epTransactionId', 'orderId', 'userEmail', 'points', 'note', 'awardedAt')}
  FROM entries WHERE partner_id = $1 AND tenant_id = $2 AND seq < $3 ORDER BY seq DESC LIMIT $4`
