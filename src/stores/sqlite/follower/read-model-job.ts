import type { Database } from '../database.ts'
import type { FollowerJob } from './follower-job.ts'
import { followLedger } from './followed-ledger.ts'
import { watchAudit } from './audit-watch.ts'
import { openReadModel, type ReadModel } from './read-model.ts'

const pauseMs = 60_000

/**
 * Lets the read model follow the ledger, a step at a time. If it fails (the disk is full, an entry cannot be read), it
 * pauses: a search then reads the entries themselves.
 */
export function readModelJob(
  operator: Database,
  openLedger: () => Database,
  warn: (message: string) => void,
): FollowerJob {
  const lookAtAudit = watchAudit(operator, openLedger, warn)
  const open = () => {
    const opened = openReadModel(operator, followLedger(openLedger()), {}, warn)
    lookAtAudit()
    return opened
  }
  let model: ReadModel | null = null
  let failedAt: number | null = null
  try {
    // Not only in the first step: that comes behind an answer, and the next one, which brings the warning that entries
    // are lost, may be seconds later. A model that was emptied does not warn a second time.
    model = open()
  } catch {
    // The first step tells.
  }
  return {
    step(at) {
      const now = at ?? 0
      if (failedAt !== null && now >= failedAt && now < failedAt + pauseMs) return false
      try {
        model ??= open()
        const taken = model.follow()
        if (taken === 0) lookAtAudit()
        failedAt = null
        return taken > 0
      } catch (error) {
        failedAt = now
        model = null
        throw error
      }
    },
  }
}
