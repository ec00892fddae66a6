import type { Worker } from 'node:cluster'

/** What the supervisor asks, and what a worker whose event loop turns answers. */
const pulse = 'pulse'
const askEveryMs = 1_000
/** Whoever has left so many unanswered has left its clients without an answer for longer than any of them waits. */
const unansweredMax = 10

/**
 * Notices a worker that is there and does nothing: stopped, or in a loop without end. Counted are questions and not
 * seconds, so that a supervisor that was itself suspended does not take all of them for dead when it wakes up.
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
      worker.send(pulse, () => {}) // one that has just died is noticed in another way
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
