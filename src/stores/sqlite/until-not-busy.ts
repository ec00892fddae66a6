import { systemClock } from '../../clock.ts'

export const busyCode = 5
export const busyTimeoutMs = 2000
const pauseMs = 10

export function isBusy(error: unknown): boolean {
  return (error as { errcode?: number }).errcode === busyCode
}

/** As SQLite says it. */
export function busyError(): Error {
  return Object.assign(new Error('database is locked'), { errcode: busyCode })
}

/**
 * Tries again while SQLite says that it is busy, for the time that a statement waits for a lock. Some statements fail at
 * once, and others only after they have waited: so the time is limited, not the number of attempts.
 */
export function untilNotBusy(attempt: () => void): void {
  const until = systemClock.elapsed() + busyTimeoutMs
  for (;;) {
    try {
      attempt()
      return
    } catch (error) {
      if (!isBusy(error) || systemClock.elapsed() >= until) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs)
    }
  }
}
