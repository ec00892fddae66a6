import { Unavailable } from '../../ledger/faults.ts'
import type { Ledger, PageQuery } from '../../ledger/ledger.ts'
import { sameFile } from './same-file.ts'
import { startThread, type Thread } from './thread.ts'

/** Pages of history by a thread of their own, which starts when the first one is asked for: no start waits for it. */
export function openHistory(path: string): Pick<Ledger, 'historyPage' | 'close'> {
  const file = sameFile(path)
  let reader: Thread<PageQuery, string> | null = null
  let closed = false
  return {
    async historyPage(query) {
      if (closed) throw new Unavailable('the service is shutting down')
      reader ??= startThread(new URL('./reader.ts', import.meta.url), file)
      return reader.ask(query)
    },
    async close() {
      closed = true
      await reader?.close()
    },
  }
}
