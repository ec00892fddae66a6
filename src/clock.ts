/** The only place that reads the time. Everything else is given a clock. */
export type Clock = {
  /** Milliseconds since the epoch: may jump when somebody sets the machine's clock. */
  now(): number
  /** Milliseconds since some start: never jumps, for deadlines and durations. */
  elapsed(): number
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
}
