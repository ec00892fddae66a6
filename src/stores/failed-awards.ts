import type { Clock } from '../clock.ts'
import { Unavailable } from '../ledger/errors.ts'
import type { Outcome } from '../rules/decide-batch.ts'

/** A node without traffic becomes ready again, and the next award tells. */
const rememberedForMs = 10_000

/** Of batches. A page may be damaged for some users only: where others are credited in between, the node goes on. */
const inARowMin = 3

/**
 * Awards that failed for a reason which a probe without rows does not meet: a full disk, or a damaged page. While they fail,
 * one batch after the other, the node is not ready, even if its probe succeeds.
 */
export function rememberFailedAwards(clock: Clock) {
  let inARow = 0
  let last = { at: 0, why: '' }
  return {
    failed(why: string): void {
      inARow++
      last = { at: clock.elapsed(), why }
    },
    /** A replay or a conflict writes no row: only an award that was credited shows that awards succeed. */
    succeeded(outcomes: Outcome[]): void {
      if (inARow > 0 && outcomes.some(({ kind }) => kind === 'credited')) inARow = 0
    },
    /** Throws for some seconds after several have failed in a row. */
    assertNone(): void {
      if (inARow >= inARowMin && clock.elapsed() - last.at < rememberedForMs)
        throw new Unavailable(`awards fail: ${last.why}`)
    },
  }
}

export type FailedAwards = ReturnType<typeof rememberFailedAwards>
