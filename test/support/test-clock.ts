import type { Clock } from '../../src/clock.ts'

export type TestClock = Clock & { set(ms: number): void; advance(ms: number): void }

/** Noon in Vietnam, far from any midnight. */
export const aNoon = Date.parse('2026-11-15T05:00:00.000Z')

/** A clock that moves only when the test advances it. */
export function createTestClock(start = aNoon): TestClock {
  let now = start
  let elapsed = 0
  return {
    now: () => now,
    elapsed: () => elapsed,
    set(ms) {
      now = ms
    },
    advance(ms) {
      now += ms
      elapsed += ms
    },
  }
}
