import { grouped } from './numbers.ts'
import type { Refusal } from './refusal.ts'
import { duration, shortTime } from './times.ts'

/** What the rules would decide, by the API. */
type Forecast = {
  outcome:
    | { kind: 'credit'; points: number }
    | { kind: 'reject'; code: string; used?: unknown; requested?: unknown }
  largest: number | null
}

type Explained = {
  refusal: Refusal
  /** Null: it depends on the user, who is not on record, or nothing is known of the award. */
  now: Forecast | null
  /** Of a daily cap that was not reset yet. */
  afterReset: Forecast | null
  resetsAt: string | null
  /** Of perPartnerDay: the smallest value that would have admitted the award then. */
  neededCap: number | null
}

/** `fits` is null where it cannot be known. `isCap`: it takes a change of a cap. */
type Outlook = { when: string; fits: boolean | null; text: string; isCap?: true }

/**
 * The user is not on record. If the user's own cap refused, the day is a new one by then: only what the user has received
 * on it can be in the way.
 */
function ifUserHasRoom({ cap }: Refusal, byThen: string): string {
  if (cap !== 'perUserDay') return "if the user's own cap allows it"
  return `unless the user is near the cap of the new day ${byThen}`
}

/** Whether it is the user's own cap that may decide: it refused, or the others would admit the award. */
export function dependsOnUser({ refusal, now }: Pick<Explained, 'refusal' | 'now'>): boolean {
  if (now === null) return refusal.cap === 'perUserDay'
  return now.outcome.kind === 'credit'
}

/** What would happen to a refused award if it were sent again: now, after the reset, and with another cap. */
export function sendAgain(
  explained: Explained,
  nowMs: number,
  /** The same award to the user that the operator named; null: none is named. */
  toUser: Forecast | null = null,
): Outlook[] {
  const { refusal, now, afterReset, resetsAt } = explained
  const rows: Outlook[] = []
  if (toUser !== null)
    rows.push({ when: 'Now, to this user', ...fitOf(toUser, `with ${grouped(refusal.requested)} EP`) })
  else if (now !== null)
    rows.push({
      when: 'Now',
      ...fitOf(now, `with ${grouped(refusal.requested)} EP, ${ifUserHasRoom(refusal, 'already')}`),
    })
  else if (refusal.cap === 'perUserDay')
    rows.push({ when: 'Now', fits: null, text: 'it depends on the user, who is not on record' })
  if (afterReset !== null && resetsAt !== null) {
    const reset = Date.parse(resetsAt)
    const when = `From ${shortTime(reset, nowMs).replace(/:00$/, '')}`
    rows.push({
      when,
      ...fitOf(afterReset, `in ${duration(reset - nowMs)}, ${ifUserHasRoom(refusal, 'by then')}`),
    })
  }
  return [...rows, ...withAnotherCap(explained)]
}

function fitOf({ outcome, largest }: Forecast, ifCredited: string): { fits: boolean; text: string } {
  if (outcome.kind === 'credit') return { fits: true, text: ifCredited }
  if (typeof outcome.requested === 'number')
    return { fits: false, text: `${grouped(largest ?? 0)} EP fit, ${grouped(outcome.requested)} needed` }
  return { fits: false, text: outcome.code }
}

function withAnotherCap({ refusal, now, neededCap }: Explained): Outlook[] {
  const { code, requested } = refusal
  if (now?.outcome.kind === 'credit' || requested === null) return []
  if (code === 'PER_TX_CAP_EXCEEDED')
    return [{ when: 'With a higher perTx', fits: true, text: `from ${grouped(requested)} EP`, isCap: true }]
  if (neededCap === null) return []
  const used = now?.outcome.kind === 'reject' ? now.outcome.used : undefined
  const from = typeof used === 'number' ? used + requested : neededCap
  return [{ when: 'With a higher perPartnerDay', fits: true, text: `from ${grouped(from)} EP`, isCap: true }]
}
