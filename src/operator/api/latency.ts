import { isoTime } from '../../rules/iso-time.ts'
import type { DurationCounts, NodeReadings } from './thread/messages.ts'

type Quantiles = { requests: number; p50Ms: number | null; p99Ms: number | null }

type Latency = {
  /** Of the last ten minutes; null: there were no requests. */
  latest: (Quantiles & { since: string }) | null
  hour: {
    /** Measured since then: for an hour at most. */
    since: string
    /** Oldest first. A minute without a request is left out. */
    minutes: (Quantiles & { at: string })[]
  }
}

const latestMs = 600_000
const hourMs = 3_600_000
/** The timer of a process that was held up is late: what was counted meanwhile belongs to no minute. */
const minuteMsMax = 90_000
const none: DurationCounts = { upTo: [], count: 0 }

/**
 * How long requests for an award took in this process. It only counts, since its start, and keeps its counts of each minute: the
 * difference between two of them is what happened in between.
 */
export function latencyOf({ startedAt, awardMs, minutes }: NodeReadings, now: number): Latency {
  const kept = [{ at: startedAt, ...none }, ...minutes].filter(({ at }) => at <= now)
  const since = (ms: number) => kept.find(({ at }) => at >= now - ms) ?? kept.at(-1)
  const base = since(latestMs) ?? { at: startedAt, ...none }
  const latest = between(base, awardMs)
  return {
    latest: latest === null ? null : { since: isoTime(base.at), ...latest },
    hour: {
      since: isoTime((since(hourMs) ?? base).at),
      minutes: kept.slice(1).flatMap((after, index) => {
        const before = kept[index]!
        const isMinute = before.at >= now - hourMs && after.at - before.at <= minuteMsMax
        const figures = isMinute ? between(before, after) : null
        return figures === null ? [] : [{ at: isoTime(before.at), ...figures }]
      }),
    },
  }
}

function between(before: DurationCounts, after: DurationCounts): Quantiles | null {
  const requests = after.count - before.count
  if (requests <= 0) return null
  const bound = (share: number) =>
    after.upTo.find(({ count }, at) => count - (before.upTo[at]?.count ?? 0) >= share * requests)?.bound ??
    null
  return { requests, p50Ms: bound(0.5), p99Ms: bound(0.99) }
}
