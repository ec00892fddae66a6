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
