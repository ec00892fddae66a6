import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../clock.ts'

export type Rest = () => Promise<void>

export const noRest: Rest = async () => {}

/** Less is not worth a timer. */
const workMinMs = 20
const restMaxMs = 100

/**
 * For a long read beside a server: it rests as long as it has worked. A low priority is not enough, because a reader
 * that has a processor keeps it for some milliseconds, also when a commit waits for it. Work is measured by the clock: the longer
 * the reader had to wait for a processor or the disk, the longer it rests.
 */
export function createRests({ elapsed = systemClock.elapsed, pause = sleep as Pause } = {}): Rest {
  let workingSince = elapsed()
  return async () => {
    const workedMs = elapsed() - workingSince
    if (workedMs < workMinMs) return
    await pause(Math.min(workedMs, restMaxMs))
    workingSince = elapsed()
  }
}

type Pause = (ms: number) => Promise<unknown>
