import { Unavailable } from '../../ledger/faults.ts'
import type { SameFile } from './same-file.ts'
import { startThread, type Thread } from './thread.ts'

export type Checkpoints = { committed(awards: number): void; close(): Promise<void> }

/** So often it is asked whether the log has become long. Of large awards, so many fill 2,000 pages of it. */
const awardsBetween = 500

/**
 * Has the log copied into the database beside the writer. SQLite by itself does it inside a COMMIT, and all awards wait
 * for as long. When all of the log has been copied, the writer begins it anew.
 *
 * A fault of the disk loses nothing here: the log stays, and at its limit the writer copies it itself.
 */
export function createCheckpoints(file: SameFile): Checkpoints {
  let thread: Thread<'checkpoint', null> | null = null
  let busy = false
  let awardsSince = 0

  async function checkpoint(): Promise<void> {
    busy = true
    awardsSince = 0
    thread ??= startThread(new URL('./checkpointer.ts', import.meta.url), file)
    try {
      await thread.ask('checkpoint')
    } catch (fault) {
      if (!(fault instanceof Unavailable)) throw fault
    } finally {
      busy = false
    }
  }

  return {
    committed(awards) {
      awardsSince += awards
      if (!busy && awardsSince >= awardsBetween) void checkpoint()
    },
    async close() {
      await thread?.close()
    },
  }
}
