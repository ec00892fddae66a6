import type { Clock } from '../../clock.ts'
import { type GroupCommitLimits, groupCommit } from '../../ledger/group-commit.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { accountKey } from '../../rules/decide-batch.ts'
import { type HistoryEntry, historyPage } from '../../rules/history-page.ts'
import { columns } from '../columns.ts'
import type { BatchKind } from './batch-kind.ts'
import { prepareCommit } from './commit.ts'
import { type Pool, reading } from './database.ts'
import { selfCheck } from './self-check.ts'

type LedgerOptions = {
  batches: BatchKind
  clock: Clock
  limits: Partial<GroupCommitLimits> | undefined
}

/** The shared ledger: a lane for each account, so that a busy partner never waits for its own row. */
export function createLedger(
  { writers, readers }: { writers: Pool; readers: Pool },
  { batches, clock, limits }: LedgerOptions,
): Ledger {
  const laneForEachAccount = {
    commit: prepareCommit(writers, { batches, clock }),
    laneOf: accountKey,
    groupOf: () => 'all',
    lanesPerCommit: batches.accountsMax,
    commitsMax: batches.commitsMax,
    commitsAloneMax: batches.commitsAloneMax,
  }
  return {
    ...groupCommit(laneForEachAccount, clock, limits),
    async historyPage({ partnerId, tenantId, beforeSeq, limit }) {
      const { rows } = await reading(readers, clock, (client) =>
        client.query<HistoryEntry>({
          name: 'awards-before',
          text: awardsBefore,
          values: [partnerId, tenantId, beforeSeq ?? Number.MAX_SAFE_INTEGER, limit + 1],
        }),
      )
      return JSON.stringify(historyPage({ partnerId, tenantId }, limit, rows))
    },
    // On a connection such as awards need, which may be refused while those for reading still live.
    ready: () => reading(writers, clock, (client) => selfCheck(client, clock.now)),
  }
}

const awardsBefore = `
  SELECT ${columns<HistoryEntry>('seq', 'epTransactionId', 'orderId', 'userEmail', 'points', 'note', 'awardedAt')}
  FROM entries WHERE partner_id = $1 AND tenant_id = $2 AND seq < $3 ORDER BY seq DESC LIMIT $4`
