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

/** For what is deleted by its age. To a clock that was set ahead, if only for a moment, everything would be old. */
export function createSteadyTime(clock: Clock): () => number {
  const start = { now: clock.now(), elapsed: clock.elapsed() }
  return () => Math.min(clock.now(), start.now + Math.round(clock.elapsed() - start.elapsed))
}
