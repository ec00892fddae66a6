/** Returns how many seconds the caller has to wait; 0: it may proceed. */
export type RateLimit = (partnerId: string, requestsPerSecond: number, now: number) => number

/**
 * A token bucket for each partner that has a request rate. The burst is one second's worth of requests. Each node counts
 * for itself.
 */
export function createRateLimit(): RateLimit {
  const buckets = new Map<string, { tokens: number; at: number }>()
  return (partnerId, requestsPerSecond, now) => {
    const bucket = buckets.get(partnerId) ?? { tokens: requestsPerSecond, at: now }
    const refilled = bucket.tokens + (Math.max(0, now - bucket.at) / 1000) * requestsPerSecond
    const tokens = Math.min(requestsPerSecond, refilled)
    const admitted = tokens >= 1
    buckets.set(partnerId, { tokens: admitted ? tokens - 1 : tokens, at: now })
    return admitted ? 0 : Math.ceil((1 - tokens) / requestsPerSecond)
  }
}
