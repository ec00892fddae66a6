import { addedUpDays, addUpStatements, retentionEveryMs, retentionSteps } from '../../journal-retention.ts'
import { createRetentionTime, olderThan, type Reached, retentionStatements } from '../../retention-time.ts'
import { type Database, inTransaction } from '../database.ts'
import { prepareNumbered } from '../numbered-parameters.ts'
import type { FollowerJob } from './follower-job.ts'

/** Once a minute: deletes what is too old, a part in each step, and then adds up the days of processes that have ended. */
export function prepareRetention(database: Database, { refusalDays }: { refusalDays: number }): FollowerJob {
  let dueAt = 0
  const retentionTime = createRetentionTime()

  function reached(at: number): number {
    const stored = prepareNumbered(database, retentionStatements.reached).get(olderThan(at)) as Reached
    const now = retentionTime(at, stored)
    if (now !== stored.reached) prepareNumbered(database, retentionStatements.put).run(now)
    return now
  }
  function deleteSome(now: number): boolean {
    const changed = retentionSteps(now, refusalDays).map(
      ({ sql, before }) => prepareNumbered(database, sql).run(before).changes,
    )
    return changed.some((rows) => rows > 0)
  }
  function addUpDays(now: number): void {
    const { add, ofSeveralProcesses, remove } = addUpStatements
    inTransaction(database, () => {
      prepareNumbered(database, add(ofSeveralProcesses)).run(...addedUpDays(now))
      prepareNumbered(database, remove).run(...addedUpDays(now))
    })
  }
  return {
    step(at) {
      // Without a time, nothing is too old; and a time of 0 would be taken for a clock that was set back.
      if (at === null) return false
      if (at < dueAt && at > dueAt - 2 * retentionEveryMs) return false
      const now = reached(at)
      if (deleteSome(now)) return true
      addUpDays(now)
      dueAt = at + retentionEveryMs
      return false
    },
  }
}
