import { setTimeout as sleep } from 'node:timers/promises'
import type { JournalWriter } from '../../journal/journal-batch.ts'
import type { JournalOptions } from '../store.ts'
import type { FollowerAnswer, FollowerData, FollowerRequest } from './follower/follower.ts'
import { startThread, type Thread } from './threads/thread.ts'

/** A file on a disk that hangs must not hold up the end of the server. */
const closeMaxMs = 2_000

/**
 * The journal in the file beside the ledger, which belongs to the follower's thread. The thread starts with the first
 * request; if it dies, the next request starts another one.
 */
export function openJournalWriter(path: string, { refusalDays, warn }: JournalOptions): JournalWriter {
  const data: FollowerData = { path, refusalDays }
  let thread: Thread<FollowerRequest, string> | null = null

  async function ask(request: FollowerRequest): Promise<FollowerAnswer> {
    thread ??= startThread(new URL('./follower/follower.ts', import.meta.url), data, {
      onDeath(error) {
        thread = null
        warn(`the thread of ${path}-operator ended: ${error instanceof Error ? error.message : error}`)
      },
    })
    const answer: FollowerAnswer = JSON.parse(await thread.ask(request))
    for (const warning of answer.warnings) warn(warning)
    return answer
  }

  return {
    async storedKey(ours, { replace } = { replace: false }) {
      return Buffer.from((await ask({ kind: 'key', ours, replace })).sealedKey, 'base64')
    },
    async write(batch) {
      await ask({ kind: 'write', batch })
    },
    async close() {
      await Promise.race([thread?.close(), sleep(closeMaxMs, undefined, { ref: false })])
    },
  }
}
