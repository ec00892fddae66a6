import { Worker } from 'node:worker_threads'
import type { CheckpointerData, CheckpointerRequest } from './checkpointer.ts'

export type Checkpoints = { committed(awards: number): void; close(): Promise<void> }

/**
 * Fewer, and the same pages are copied again and again; more, and the disk is kept so long that commits wait for it.
 * So many awards fill some 2,000 pages of the log.
 */
const awardsBetween = 500

/**
 * Has the log copied into the database beside the writer. SQLite by itself does it inside a COMMIT, and all awards wait
 * for as long. The log is begun anew by the writer, as soon as it has grown to its limit and all of it is copied.
 *
 * Whatever keeps the checkpointer from its work loses nothing: at the limit the writer copies the log itself.
 */
export function createCheckpoints(path: string): Checkpoints {
  let thread: Worker | null = null
  let busy = false
  let awardsSince = 0

  function start(): Worker {
    const workerData: CheckpointerData = { path }
    const started = new Worker(new URL('./checkpointer.ts', import.meta.url), { workerData })
    started.on('message', () => {
      busy = false
    })
    started.on('error', () => {}) // a fault of the disk: the writer meets it, too, and tells
    started.on('exit', () => {
      busy = false
      thread = null
    })
    return started
  }

  return {
    committed(awards) {
      awardsSince += awards
      if (busy || awardsSince < awardsBetween) return
      busy = true
      awardsSince = 0
      thread ??= start()
      thread.postMessage('checkpoint' satisfies CheckpointerRequest)
    },
    async close() {
      if (thread === null) return
      const ended = new Promise((resolve) => thread!.once('exit', resolve))
      thread.postMessage('close' satisfies CheckpointerRequest)
      await ended
    },
  }
}
