import type { Clock } from '../clock.ts'
import { Unavailable } from '../ledger/errors.ts'
import type { Outcome } from '../rules/decide-batch.ts'
import type { AwardCommand } from '../rules/entry.ts'

/** A node without traffic becomes ready again, and the next award tells. */
const rememberedForMs = 10_000

/** Of batches. */
const inARowMin = 3

/** A page may be damaged for some users only: while others are credited, the node is ready, however often these try again. */
const recentMs = 1_000

/**
 * Awards that failed for a reason which a probe without rows does not meet: a full disk, a damaged page, a table that somebody
 * has changed. While they fail, one batch after the other, the node is not ready, even if its probe succeeds.
 */
export function rememberFailedAwards(clock: Clock) {
  let inARow = 0
  let last = { at: 0, forMs: 0, why: '' }
  let seen = new WeakSet<AwardCommand>()
  let creditedAt = Number.NEGATIVE_INFINITY
  return {
    /** A batch that is tried again in parts counts once: its awards are known then. */
    failed(batch: AwardCommand[], why: string, forMs = rememberedForMs): void {
      const isPart = batch.length > 0 && batch.every((award) => seen.has(award))
      for (const award of batch) seen.add(award)
      if (!isPart) inARow++
      last = { at: clock.elapsed(), forMs, why }
    },
    /** A replay or a conflict writes no row: only an award that was credited shows that awards succeed. */
    succeeded(outcomes: Outcome[]): void {
      if (inARow === 0 || !outcomes.some(({ kind }) => kind === 'credited')) return
      creditedAt = clock.elapsed()
      inARow = 0
      seen = new WeakSet()
    },
    /** Throws for some seconds after several have failed in a row. */
    assertNone(): void {
      const now = clock.elapsed()
      if (inARow >= inARowMin && now - last.at < last.forMs && now - creditedAt >= recentMs)
        throw new Unavailable(`awards fail: ${last.why}`)
    },
  }
}

export type FailedAwards = ReturnType<typeof rememberFailedAwards>
