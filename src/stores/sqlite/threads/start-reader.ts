import { type SameFile, sameFile } from '../file/same-file.ts'
import type { ReaderQuestion } from './reader.ts'
import { startThread, type Thread } from './thread.ts'

/** The reader's thread as its callers see it. It starts with the first question: no start waits for it. */
export type Reader = Pick<Thread<ReaderQuestion, string>, 'ask' | 'close'>

export function startReader(path: string): Reader {
  const file: SameFile = sameFile(path)
  let thread: Thread<ReaderQuestion, string> | null = null
  return {
    async ask(question) {
      thread ??= startThread(new URL('./reader.ts', import.meta.url), file, {
        onNotStarted() {
          thread = null
        },
      })
      return thread.ask(question)
    },
    close: async () => thread?.close(),
  }
}
