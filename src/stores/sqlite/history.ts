import type { Clock } from '../../clock.ts'
import { createHistoryQueue } from '../../ledger/history-queue.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { Reader } from './threads/start-reader.ts'

/** Two groups of the reader: while the pages of one are sent, it has the other to read. The rest waits in turn. */
const readsMax = 32

/** Pages of history by a thread of their own. */
export function openHistory(reader: Reader, clock: Clock): Pick<Ledger, 'historyPage' | 'close'> {
  const queue = createHistoryQueue(reader.ask, clock, { readsMax })
  return { historyPage: queue.page, close: queue.close }
}
