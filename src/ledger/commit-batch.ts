import { strict as assert } from 'node:assert'
import type { Outcome } from '../rules/decide-batch.ts'
import type { AwardCommand } from '../rules/entry.ts'
import type { Deadlines } from './deadlines.ts'
import { DamagedRows, LockTimeout, Unavailable } from './errors.ts'
import type { WaitingAward } from './waiting-award.ts'

/** How long a transaction waits for each lock: a moment, a part of an award's deadline, or more than half of it. */
export type LockWait = 'brief' | 'short' | 'long'

/**
 * Decides and writes a batch in one transaction; resolves with an outcome for each command, in order, when all of it is
 * durable. Throws `Unavailable` if the outcome is unknown, or if the database could not take the batch. `LockTimeout`
 * (never with a long wait) means that another transaction held a lock, or that a worker is away, and that nothing was
 * written. After `DamagedRows`, and after anything else, which is a bug, each award is tried alone, and one that was
 * committed after all is then a duplicate.
 */
export type Commit = (commands: AwardCommand[], lockWait?: LockWait) => Promise<Outcome[]>

/**
 * The result of a commit. After `done` and `unavailable` every award has been answered. Otherwise no award was
 * answered, because a single one of them may be the cause. After a lock timeout nothing was written; after a bug or damage,
 * usually nothing.
 */
type CommitResult =
  | { kind: 'done' }
  | { kind: 'unavailable' }
  | { kind: 'lock timeout'; error: LockTimeout }
  | { kind: 'bug or damage'; error: unknown }

/** Commits those of a batch that are still unanswered. */
export async function commitBatch(
  commit: Commit,
  deadlines: Deadlines,
  { batch, lockWait }: { batch: WaitingAward[]; lockWait: LockWait },
): Promise<CommitResult> {
  const unanswered = batch.filter(({ place }) => place !== null)
  if (unanswered.length === 0) return { kind: 'done' }
  let outcomes: Outcome[]
  try {
    outcomes = await commit(
      unanswered.map(({ command }) => command),
      lockWait,
    )
  } catch (error) {
    if (error instanceof LockTimeout) return { kind: 'lock timeout', error }
    const othersMaySucceed = error instanceof DamagedRows && unanswered.length > 1
    if (!(error instanceof Unavailable) || othersMaySucceed) return { kind: 'bug or damage', error }
    for (const award of unanswered) deadlines.reject(award, error)
    return { kind: 'unavailable' }
  }
  assert(outcomes.length === unanswered.length, 'a store answers every command of a batch')
  for (const [index, outcome] of outcomes.entries()) deadlines.resolve(unanswered[index]!, outcome)
  return { kind: 'done' }
}

/**
 * A bug that one award sets off, or the damaged page that it needs, must not take the others with it: each is tried by
 * itself, unless its deadline has passed meanwhile. One that was written after all is found as a duplicate.
 */
export async function commitEach(
  commit: Commit,
  deadlines: Deadlines,
  { batch, error }: { batch: WaitingAward[]; error: unknown },
): Promise<void> {
  for (const award of batch) {
    if (batch.length === 1) {
      deadlines.reject(award, error)
      continue
    }
    const own = await commitBatch(commit, deadlines, { batch: [award], lockWait: 'long' })
    if ('error' in own) deadlines.reject(award, own.error)
  }
}
