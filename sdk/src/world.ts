/** What a request needs besides the network. The only place that reads the clock. */
export type World = {
  /** Milliseconds since 1970. */
  now(): number
  /** From 0 up to, not including, 1. */
  random(): number
  /** Rejects with the signal's reason as soon as it is aborted. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>
}

export const theWorld: World = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const wakeUp = () => {
        signal?.removeEventListener('abort', giveUp)
        resolve()
      }
      const timer = setTimeout(wakeUp, ms)
      const giveUp = () => {
        clearTimeout(timer)
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', giveUp, { once: true })
    }),
}
