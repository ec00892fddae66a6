import type { Database } from '../database.ts'
import type { FollowerJob } from './follower-job.ts'
import { followLedger } from './followed-ledger.ts'
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
  let model: ReadModel | null = null
  let failedAt: number | null = null
  return {
    step(now) {
      if (failedAt !== null && now >= failedAt && now < failedAt + pauseMs) return false
      try {
        model ??= openReadModel(operator, followLedger(openLedger()), {}, warn)
        const taken = model.follow()
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
