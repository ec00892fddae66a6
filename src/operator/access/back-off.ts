import { createHmac, hkdfSync } from 'node:crypto'
import { networkOf, plainAddress } from '../../wire/address-limit.ts'
import type { Failures, OperatorSessions } from './operator-store.ts'

/** After `free` failures, each further one doubles the pause, up to `maxMs`. */
type Pace = { free: number; maxMs: number }

/**
 * The pause of an account is short, because anybody can cause it. The one of an address grows longer: it stops whoever
 * tries one password on many accounts.
 */
const paces: Record<'account' | 'address', Pace> = {
  account: { free: 5, maxMs: 60_000 },
  address: { free: 15, maxMs: 900_000 },
}

const firstPauseMs = 1_000
/** Failures that are older do not count. */
const forgetMs = 3_600_000

/** How long until the next attempt may be made; 0: now. */
function pauseMs(seen: Failures | null, { free, maxMs }: Pace, now: number): number {
  if (seen === null || isForgotten(seen, now) || seen.failures < free) return 0
  const pause = Math.min(firstPauseMs * 2 ** (seen.failures - free), maxMs)
  return Math.max(0, seen.at + pause - now)
}

function afterFailure(before: Failures | null, now: number): Failures {
  const failures = before === null || isForgotten(before, now) ? 0 : before.failures
  return { failures: failures + 1, at: now }
}

/** A clock that was set back does not keep anybody out. */
function isForgotten({ at }: Failures, now: number): boolean {
  return now >= at + forgetMs || now < at - forgetMs
}

/** So many rows there are at most: strangers can name any account, and come from any address. */
const subjectsPerKind = 2 ** 16

/** The key is the same in all processes. Without one, a stranger could search for an address that shares an operator's row. */
export function createSubjects(masterKey: Uint8Array): (kind: keyof typeof paces, name: string) => string {
  const key = Buffer.from(hkdfSync('sha256', masterKey, '', 'partner-credit back-off', 32))
  return (kind, name) => {
    const mac = createHmac('sha256', key).update(`${kind} ${name}`).digest()
    return `${kind} ${mac.readUInt32BE() % subjectsPerKind}`
  }
}

const attemptsMax = 10

export type BackOff = {
  /** Counts the attempt as failed in advance, so that attempts at once do not escape. Returns the pause, or 0. */
  begin(account: string, address: string, now: number): Promise<number>
  /** The attempt was successful. */
  succeed(account: string, address: string): Promise<void>
}

/** For all processes together: failures are counted in the store. */
export function createBackOff(sessions: OperatorSessions, masterKey: () => Promise<Uint8Array>): BackOff {
  async function subjects(account: string, address: string) {
    const subjectOf = createSubjects(await masterKey())
    return [
      { subject: subjectOf('account', account), pace: paces.account },
      { subject: subjectOf('address', networkOf(plainAddress(address))), pace: paces.address },
    ]
  }

  async function count(subject: string, pace: Pace, now: number): Promise<number> {
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const before = await sessions.failures(subject)
      const pause = pauseMs(before, pace, now)
      if (pause > 0) return pause
      if (await sessions.putFailures(subject, before, afterFailure(before, now))) return 0
    }
    return firstPauseMs // so many at once are an attack
  }

  return {
    async begin(account, address, now) {
      const both = await subjects(account, address)
      const pauses = await Promise.all(
        both.map(async ({ subject, pace }) => pauseMs(await sessions.failures(subject), pace, now)),
      )
      if (Math.max(...pauses) > 0) return Math.max(...pauses)
      for (const { subject, pace } of both) {
        const pause = await count(subject, pace, now)
        if (pause > 0) return pause
      }
      return 0
    },
    async succeed(account, address) {
      const [ofAccount, ofAddress] = await subjects(account, address)
      await sessions.forgetFailures(ofAccount!.subject)
      // Only what `begin` has counted: otherwise somebody with an account could try others in between.
      const seen = await sessions.failures(ofAddress!.subject)
      if (seen === null) return
      if (seen.failures <= 1) await sessions.forgetFailures(ofAddress!.subject)
      else await sessions.putFailures(ofAddress!.subject, seen, { failures: seen.failures - 1, at: seen.at })
    },
  }
}
