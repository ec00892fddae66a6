import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import { Unavailable } from '../ledger/errors.ts'

/** Checks that awards can be made durable. Returns warnings for the operator, or throws `Unavailable`. */
export type Readiness = () => Promise<string[]>

const validMs = 1_000
const timeoutMs = 1_000

/**
 * Shares one check among all callers of both listeners: a flood of health checks reaches the store once a second. A
 * result is valid for one second, counted from the start of its check. While a check is running, no second one is
 * started; a check that takes longer than a second counts as not ready.
 */
export function shareReadiness(ready: Readiness, clock: Pick<Clock, 'elapsed'>): Readiness {
  let latest: { startedAt: number; result: Promise<string[]>; settled: boolean } | undefined

  function startCheck(): NonNullable<typeof latest> {
    const work = ready()
    const check = { startedAt: clock.elapsed(), result: within(timeoutMs, work), settled: false }
    const settle = () => {
      check.settled = true
    }
    work.then(settle, settle)
    return check
  }

  return () => {
    if (latest === undefined || (latest.settled && clock.elapsed() - latest.startedAt >= validMs))
      latest = startCheck()
    return latest.result
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const late = sleep(ms, undefined, { ref: false }).then(() => {
    throw new Unavailable(`the store did not respond within ${ms} ms`)
  })
  return Promise.race([work, late])
}
