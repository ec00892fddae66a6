import type { Clock } from '../clock.ts'
import { Unavailable } from '../ledger/errors.ts'
import type { Outcome } from '../rules/decide-batch.ts'

/** A node without traffic becomes ready again, and the next award tells. */
const rememberedForMs = 10_000

/**
 * Awards that failed for a reason which a probe without rows does not meet: a full disk, or a damaged page. While they fail,
 * the node is not ready, even if its probe succeeds.
 */
export function rememberFailedAwards(clock: Clock) {
  let last: { at: number; why: string } | null = null
  return {
    failed(why: string): void {
      last = { at: clock.elapsed(), why }
    },
    /** A replay or a conflict writes no row: only an award that was credited shows that awards succeed. */
    succeeded(outcomes: Outcome[]): void {
      if (last !== null && outcomes.some(({ kind }) => kind === 'credited')) last = null
    },
    /** Throws for some seconds after an award failed, or until one is credited. */
    assertNone(): void {
      if (last !== null && clock.elapsed() - last.at < rememberedForMs)
        throw new Unavailable(`awards fail: ${last.why}`)
    },
  }
}

export type FailedAwards = ReturnType<typeof rememberFailedAwards>
