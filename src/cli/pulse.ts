import type { Worker } from 'node:cluster'

/** The supervisor sends this message, and a worker whose event loop runs sends it back. */
const pulse = 'pulse'
const askEveryMs = 1_000
/** A worker that misses this many has been unresponsive for longer than any client waits. */
const unansweredMax = 10

/**
 * Detects a worker that hangs: suspended, or in an endless loop. It counts messages instead of seconds, so that a
 * supervisor that was itself suspended does not consider all workers dead when it resumes.
 */
export function watchPulse(worker: Worker, onHung: () => void): { end(): void } {
  let unanswered = 0
  worker.on('message', (message) => {
    if (message === pulse) unanswered = 0
  })
  const timer = setInterval(() => {
    if (unanswered >= unansweredMax) onHung()
    else if (worker.isConnected()) {
      unanswered++
      worker.send(pulse, () => {}) // a worker that has just died is detected by its exit
    }
  }, askEveryMs)
  return { end: () => clearInterval(timer) }
}

/** In a worker. */
export function answerPulse(): void {
  process.on('message', (message) => {
    if (message === pulse) process.send!(pulse, () => {})
  })
}
