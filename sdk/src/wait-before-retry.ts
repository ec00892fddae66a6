const firstWaitMs = 250
const longestWaitMs = 8_000

/**
 * Doubles with each retry, and half of it is random: clients that failed together do not retry together. What the
 * service asked for is added, so that no client is early.
 */
export function waitBeforeRetry({
  retry,
  retryAfterMs,
  random,
}: {
  /** 1 for the first retry. */
  retry: number
  retryAfterMs: number | null
  random: number
}): number {
  const backOffMs = Math.min(longestWaitMs, firstWaitMs * 2 ** (retry - 1))
  return (retryAfterMs ?? 0) + Math.round(backOffMs * (0.5 + random / 2))
}
