import type { FailedAwards } from '../failed-awards.ts'
import { warningsOfLog } from './long-readers.ts'

/** A commit this recent shows that awards can be made durable. */
const recentMs = 1_000

/** What the writer knows, and can try: `probe` writes to the disk, and waits for all commits before it. */
type Writer = {
  isConfirmedWithin(ms: number): boolean
  probe(): Promise<unknown>
  failedAwards: FailedAwards
}

/**
 * Whether an award could be made durable now. Without a recent commit, and after a failure, a write is tried; while the
 * writer is busy, this waits for its reply. Every caller in the meantime gets the result of the same probe.
 */
export function createReadiness(
  path: string,
  { isConfirmedWithin, probe, failedAwards }: Writer,
): () => Promise<string[]> {
  let probing: Promise<unknown> | null = null

  return async () => {
    failedAwards.assertNone()
    if (!isConfirmedWithin(recentMs)) {
      probing ??= probe().finally(() => {
        probing = null
      })
      await probing
    }
    return warningsOfLog(path)
  }
}
