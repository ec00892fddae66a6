import type { Clock } from '../clock.ts'
import { Unavailable } from '../ledger/errors.ts'
import type { Outcome } from '../rules/decide-batch.ts'

/** A node without traffic becomes ready again, and the next award tells. */
const rememberedForMs = 10_000

/**
 * Awards that failed for a reason which a probe without rows does not meet: a full disk, or a damaged page. While they fail
 * and none is credited, the node is not ready, even if its probe succeeds. A page may be damaged for some users only: where
 * others are credited, the node goes on.
 */
export function rememberFailedAwards(clock: Clock) {
  let failed: { at: number; why: string } | null = null
  let creditedAt = Number.NEGATIVE_INFINITY
  const isRecent = (at: number) => clock.elapsed() - at < rememberedForMs
  return {
    failed(why: string): void {
      failed = { at: clock.elapsed(), why }
    },
    /** A replay or a conflict writes no row: only an award that was credited shows that awards succeed. */
    succeeded(outcomes: Outcome[]): void {
      if (outcomes.some(({ kind }) => kind === 'credited')) creditedAt = clock.elapsed()
    },
    /** Throws for some seconds after an award failed, unless one was credited within as many. */
    assertNone(): void {
      if (failed !== null && isRecent(failed.at) && !isRecent(creditedAt))
        throw new Unavailable(`awards fail: ${failed.why}`)
    },
  }
}

export type FailedAwards = ReturnType<typeof rememberFailedAwards>
