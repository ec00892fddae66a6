import type { Clock } from '../clock.ts'
import { DamagedRows, Unavailable } from '../ledger/errors.ts'

const everyMs = 250
/** What was read longer ago is not used. */
const ageMaxMs = 1_000
const waitMaxMs = 3_000

type RepeatedRead = {
  /**
   * Undefined while the last read that the store answered began at most a second ago. If not, this process was stopped or
   * did not reach the store: resolves after the next read, or rejects with `Unavailable`.
   */
  catchUp(): Promise<void> | undefined
  /** Begins a read now, unless one is under way. */
  begin(): void
  failed(): Failures
  close(): void
}

/** How many reads in a row have failed, and what the last one said. */
type Failures = { reads: number; reason: string; isDamage: boolean }

/**
 * Reads four times a second, one read at a time; returns after the first. If the store answers, but with damaged rows,
 * what was read before is used for another second: waiting would not help.
 */
export async function repeatRead(
  read: () => Promise<void>,
  { clock, onError }: { clock: Clock; onError(error: unknown): void },
): Promise<RepeatedRead> {
  let answered = instant()
  let underWay: { began: Instant; awaited: AwaitedRead | undefined } | undefined
  /** For those to whom the one under way says nothing: it began too long before they came. */
  let next: AwaitedRead | undefined
  let closed = false
  let failed: Failures = { reads: 0, reason: '', isDamage: false }
  /** Since the last read that succeeded. */
  const told = new Set<string>()

  function begin(): void {
    if (underWay !== undefined) return
    underWay = { began: instant(), awaited: next }
    next = undefined
    const { began } = underWay
    read()
      .then(
        () => {
          answered = began
          failed = { reads: 0, reason: '', isDamage: false }
          told.clear()
          underWay!.awaited?.resolve()
        },
        (error) => {
          const isDamage = !(error instanceof Unavailable) || error instanceof DamagedRows
          if (isDamage) {
            answered = began
            underWay!.awaited?.resolve()
          } else underWay!.awaited?.reject(error)
          if (closed) return // so is the store
          failed = { reads: failed.reads + 1, reason: (error as Error).message, isDamage }
          // Once, not four times a second. What is found when the store is back, a row that cannot be read, is told, too.
          if (!told.has(String(error))) onError(error)
          told.add(String(error))
        },
      )
      .finally(() => {
        underWay = undefined
        if (next !== undefined && failed.reads === 0) begin()
      })
  }

  /** By both clocks: the wall clock may be set back, and the other one may stand still while a machine sleeps. */
  function isFresh(began: Instant): boolean {
    const age = clock.now() - began.now
    return age >= 0 && age <= ageMaxMs && clock.elapsed() - began.elapsed <= ageMaxMs
  }

  function instant(): Instant {
    return { now: clock.now(), elapsed: clock.elapsed() }
  }

  await read()
  const timer = setInterval(begin, everyMs)
  timer.unref()
  return {
    catchUp() {
      if (isFresh(answered)) return undefined
      // A store that is away is not asked as often as requests come.
      if (failed.reads === 0) begin()
      if (underWay !== undefined && isFresh(underWay.began)) {
        underWay.awaited = unlessLate(underWay.awaited)
        return underWay.awaited.promise
      }
      next = unlessLate(next)
      return next.promise
    },
    begin,
    failed: () => failed,
    close() {
      closed = true
      clearInterval(timer)
    },
  }
}

type Instant = { now: number; elapsed: number }

type AwaitedRead = PromiseWithResolvers<void> & { isLate: boolean }

/** Whoever comes after those who waited too long does not share their failure. */
function unlessLate(awaited: AwaitedRead | undefined): AwaitedRead {
  return awaited === undefined || awaited.isLate ? awaitedRead() : awaited
}

function awaitedRead(): AwaitedRead {
  const awaited = { ...Promise.withResolvers<void>(), isLate: false }
  const timer = setTimeout(() => {
    awaited.isLate = true
    awaited.reject(new Unavailable('the API keys cannot be read at the moment'))
  }, waitMaxMs)
  timer.unref()
  const end = () => clearTimeout(timer)
  awaited.promise.then(end, end)
  return awaited
}
