import type { Clock } from '../../clock.ts'
import { createHistoryQueue } from '../../ledger/history-queue.ts'
import type { Ledger, PageQuery } from '../../ledger/ledger.ts'
import { type HistoryEntry, historyPage } from '../../rules/history-page.ts'
import { columns } from '../columns.ts'
import { type Pool, reading, readingTable } from './database.ts'

/** Pages of history, as many at a time as there are connections for them. The rest wait in the queue. */
export function openHistory(pool: Pool, clock: Clock): Pick<Ledger, 'historyPage' | 'close'> {
  const queue = createHistoryQueue((query) => readPage(pool, clock, query), clock, {
    readsMax: pool.options.max,
  })
  return { historyPage: queue.page, close: queue.close }
}

async function readPage(
  pool: Pool,
  clock: Clock,
  { partnerId, tenantId, beforeSeq, limit }: PageQuery,
): Promise<string> {
  const query = {
    name: 'awards-before',
    text: awardsBefore,
    values: [partnerId, tenantId, beforeSeq ?? Number.MAX_SAFE_INTEGER, limit + 1],
  }
  const { rows } = await readingTable('entries', () =>
    reading(pool, clock, (client) => client.query<HistoryEntry>(query)),
  )
  return JSON.stringify(historyPage({ partnerId, tenantId }, limit, rows))
}

const awardsBefore = `
  SELECT ${columns<HistoryEntry>('seq', 'epTransactionId', 'orderId', 'userEmail', 'points', 'note', 'awardedAt')}
  FROM entries WHERE partner_id = $1 AND tenant_id = $2 AND seq < $3 ORDER BY seq DESC LIMIT $4`
