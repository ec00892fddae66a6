/** The only place that reads the time. Everything else receives a clock as a parameter. */
export type Clock = {
  /** Milliseconds since the epoch. It jumps when the machine's clock is set. */
  now(): number
  /** Monotonic milliseconds, for deadlines and durations. */
  elapsed(): number
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
}

/** No clock is right that shows an earlier time: its machine has just started, and has not asked anybody yet. */
const firstRight = Date.UTC(2026, 0)

export function knowsTime(now: number): boolean {
  return now >= firstRight
}

/** For what is deleted by its age. To a clock that was set ahead, if only for a moment, everything would be old. */
export function createSteadyTime(clock: Clock): () => number {
  const look = () => ({ now: clock.now(), elapsed: clock.elapsed() })
  let start = look()
  return () => {
    if (!knowsTime(start.now)) start = look()
    return Math.min(clock.now(), start.now + Math.round(clock.elapsed() - start.elapsed))
  }
}
