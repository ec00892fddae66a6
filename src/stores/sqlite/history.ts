import type { Clock } from '../../clock.ts'
import { createHistoryQueue } from '../../ledger/history-queue.ts'
import type { Ledger, PageQuery } from '../../ledger/ledger.ts'
import { sameFile } from './file/same-file.ts'
import { startThread, type Thread } from './threads/thread.ts'

/** Two groups of the reader: while the pages of one are sent, it has the other to read. The rest waits in turn. */
const readsMax = 32

/** Pages of history by a thread of their own, which starts when the first one is asked for: no start waits for it. */
export function openHistory(path: string, clock: Clock): Pick<Ledger, 'historyPage' | 'close'> {
  const file = sameFile(path)
  let reader: Thread<PageQuery, string> | null = null
  const queue = createHistoryQueue(
    (query) => {
      reader ??= startThread(new URL('./threads/reader.ts', import.meta.url), file)
      return reader.ask(query)
    },
    clock,
    { readsMax },
  )
  return {
    historyPage: queue.page,
    async close() {
      await queue.close()
      await reader?.close()
    },
  }
}
