import { isoTime } from '../../rules/iso-time.ts'
import type { NodeReadings } from './thread/messages.ts'

type Reading = NodeReadings['awardMs']
type Shown = { since: string; requests: number; p50Ms: number | null; p99Ms: number | null }

/** How long requests for an award took in the last minutes; null: there were none. */
export type Latency = (readings: Pick<NodeReadings, 'startedAt' | 'awardMs'>, now: number) => Shown | null

const windowMs = 600_000
/** A console asks every few seconds. */
const keptMax = 300
const none: Reading = { upTo: [], count: 0 }

/**
 * The main thread only counts, since its start. So the counts of each question are kept for ten minutes: the difference to
 * the oldest of them is what happened since then.
 */
export function createLatency(): Latency {
  let kept: { at: number; reading: Reading }[] | null = null
  return ({ startedAt, awardMs }, now) => {
    kept ??= [{ at: startedAt, reading: none }]
    const recent = kept.filter(({ at }) => at >= now - windowMs && at <= now)
    // Of the older ones the last, so that ten quiet minutes do not lead back to the start.
    const older = kept.filter(({ at }) => at < now - windowMs).slice(-1)
    const base = [...older, ...recent][0] ?? { at: startedAt, reading: none }
    kept = [...older, ...recent, { at: now, reading: awardMs }].slice(-keptMax)
    return between(base.reading, awardMs, isoTime(base.at))
  }
}

function between(before: Reading, after: Reading, since: string): Shown | null {
  const requests = after.count - before.count
  if (requests <= 0) return null
  const bound = (share: number) =>
    after.upTo.find(({ count }, at) => count - (before.upTo[at]?.count ?? 0) >= share * requests)?.bound ??
    null
  return { since, requests, p50Ms: bound(0.5), p99Ms: bound(0.99) }
}
