import type { AlertChecker } from '../../alerts/alert-checker.ts'
import type { JournalWriter } from '../../journal/journal-batch.ts'
import { Unavailable } from '../../ledger/errors.ts'
import type { JournalOptions } from '../store.ts'
import type { FollowerAnswer, FollowerData, FollowerRequest } from './follower/follower.ts'
import { startThread, type Thread } from './threads/thread.ts'

/** After its thread has ended unexpectedly, which is a bug: so that it is not started all the time. */
const pauseMs = 10_000

/**
 * The journal in the file beside the ledger, which belongs to the follower's thread. The thread starts with the first
 * request. The service does without it while it is gone.
 */
export function openJournalWriter(
  path: string,
  { refusalDays, warn }: JournalOptions,
): JournalWriter & AlertChecker {
  const data: FollowerData = { path, refusalDays }
  let thread: Thread<FollowerRequest, string> | null = null
  let pausing = false

  async function ask(request: FollowerRequest): Promise<FollowerAnswer> {
    if (pausing) throw new Unavailable('the thread of the journal has ended')
    thread ??= startThread(new URL('./follower/follower.ts', import.meta.url), data, {
      onDeath(error) {
        thread = null
        pausing = true
        setTimeout(() => {
          pausing = false
        }, pauseMs).unref()
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
    async checkAlerts(now) {
      return (await ask({ kind: 'alerts', now })).alerts!
    },
    close: async () => thread?.close(),
  }
}
