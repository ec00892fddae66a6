import { nextVietnamMidnight, vietnamDay } from '../../../../rules/vietnam-day.ts'
import { grouped } from './numbers.ts'
import type { Refusal } from './refusal.ts'
import { duration, shortTime } from './times.ts'

/** What the rules would decide now, by the API. */
export type Forecast = {
  outcome:
    | { kind: 'credit'; points: number }
    | { kind: 'reject'; code: string; cap?: string; limit?: number; used?: number; requested?: number }
  largest: number | null
}

/** `fits` is null where it cannot be known. */
type Outlook = { when: string; fits: boolean | null; text: string }

/** What would happen to a refused award if it were sent again: now, after the reset, and with another cap. */
export function sendAgain(refusal: Refusal, forecast: Forecast | null, now: number): Outlook[] {
  const rows = forecast === null ? [] : [nowRow(forecast)]
  const { code, cap, limit, requested, used } = refusal
  if (limit === null || requested === null) return rows
  if (code === 'PER_TX_CAP_EXCEEDED')
    return [...rows, { when: 'With a higher perTx', fits: true, text: `from ${grouped(requested)} EP` }]
  if (code !== 'DAILY_CAP_EXCEEDED') return rows
  const afterReset = resetRow(refusal, requested > limit, now)
  if (cap === 'perUserDay') return [...rows, ...afterReset]
  return [...rows, ...afterReset, capRow(requested, forecast, { used, limit })]
}

function nowRow({ outcome, largest }: Forecast): Outlook {
  if (outcome.kind === 'credit')
    return {
      when: 'Now',
      fits: true,
      text: `with ${grouped(outcome.points)} EP, if the user's own cap allows it`,
    }
  if (outcome.code === 'DAILY_CAP_EXCEEDED' || outcome.code === 'PER_TX_CAP_EXCEEDED')
    return {
      when: 'Now',
      fits: false,
      text: `${grouped(largest ?? 0)} EP fit, ${grouped(outcome.requested)} needed`,
    }
  return { when: 'Now', fits: false, text: outcome.code }
}

/** Nothing if the day is over: then it is the same as now. */
function resetRow({ at }: Refusal, neverFits: boolean, now: number): Outlook[] {
  if (vietnamDay(now) > vietnamDay(Date.parse(at))) return []
  const reset = nextVietnamMidnight(now)
  const when = `From ${shortTime(reset, now).replace(/:00$/, '')}`
  if (neverFits) return [{ when, fits: false, text: 'the award is larger than the cap of a whole day' }]
  return [{ when, fits: true, text: `in ${duration(reset - now)}, if the user's own cap allows it` }]
}

function capRow(
  requested: number,
  forecast: Forecast | null,
  then: { used: number | null; limit: number },
): Outlook {
  const when = 'With a higher perPartnerDay'
  const outcome = forecast?.outcome
  if (outcome?.kind === 'credit') return { when, fits: true, text: 'the present one has room' }
  const used = outcome?.kind === 'reject' ? (outcome.used ?? then.used) : then.used
  if (used === null) return { when, fits: null, text: 'how much is used is not known' }
  return { when, fits: true, text: `from ${grouped(used + requested)} EP` }
}
