import type { Refusal } from '../journal/journal-batch.ts'
import { isoTime } from '../rules/iso-time.ts'
import { amountPerEp } from '../rules/points.ts'
import { vietnamDay, vietnamDayStart } from '../rules/vietnam-day.ts'
import { type Forecast, forecast } from './forecast.ts'
import type { LedgerQueries, ShownPartner } from './ledger-queries.ts'
import { namedUser } from './named.ts'
import { type PassedCheck, passedChecks } from './passed-checks.ts'
import { type ShownRefusal, shownRefusal } from './shown-refusal.ts'
import type { AnswerSources } from './sources.ts'

type RefusalForecast = Omit<Forecast, 'userEmail'>

/** Why a request was refused, and what would happen now. */
type ExplainedRefusal = {
  refusal: ShownRefusal
  /** Null: the partner is not known. */
  partnerName: string | null
  /** Now, which may not be as it was then. */
  partnerStatus: ShownPartner['status'] | null
  /** In the published order. Empty where it does not say which one failed. */
  checks: PassedCheck[]
  /** Of a daily cap: when its counters reset. */
  resetsAt: string | null
  /** Of perPartnerDay: the smallest value that would have admitted the award. */
  neededCap: number | null
  /** All refusals of the order, newest first. Without a known order, those of the request. */
  attempts: ShownRefusal[]
  /** The same award now. Null: it depends on the user, who is not on record, or nothing is known of the award. */
  now: RefusalForecast | null
  /** Of a daily cap, on the day of the refusal: the same award after midnight in Vietnam. */
  afterReset: RefusalForecast | null
}

const attemptsMax = 50

/**
 * A caller chooses its requestId, so several refusals may have it, also of different partners: with the partner and the
 * time it is this one, otherwise the newest.
 */
type RefusalPlace = { requestId: string; partnerId?: string | undefined; at?: number | undefined }

async function refusalAt({ journal }: AnswerSources, { at, ...of }: RefusalPlace) {
  const [refusal] = await journal.refusals({ from: at ?? 0, to: at, ...of, limit: 1 })
  return refusal
}

/** The same award now, to this user. Null: no refusal of this request is on record, or nothing is known of the award. */
export async function refusedAwardNow(
  sources: AnswerSources,
  { place, userEmail, now }: { place: RefusalPlace; userEmail: string; now: number },
): Promise<RefusalForecast | null> {
  const { queries } = sources
  const refusal = await refusalAt(sources, place)
  return refusal === undefined
    ? null
    : awardAt(queries, refusal, { at: now, userEmail: namedUser(userEmail) })
}

/** Null: no refusal of this request is on record. */
export async function explainRefusal(
  sources: AnswerSources,
  { place, now }: { place: RefusalPlace; now: number },
): Promise<ExplainedRefusal | null> {
  const { queries, journal } = sources
  const refusal = await refusalAt(sources, place)
  if (refusal === undefined) return null
  const { partnerId, requestId, orderFingerprint, requested, used } = refusal
  const ofTheSame = orderFingerprint === null ? { requestId } : { orderFingerprint }
  const attempts = await journal.refusals({ from: 0, partnerId, ...ofTheSame, limit: attemptsMax })
  const partner = await queries.partner(partnerId)
  const isDailyCap = refusal.code === 'DAILY_CAP_EXCEEDED'
  const resetsAt = vietnamDayStart(vietnamDay(refusal.at) + 1)
  const isReset = now >= resetsAt
  const later = (at: number) => awardAt(queries, refusal, { at, userEmail: null })
  return {
    refusal: shownRefusal(refusal),
    partnerName: partner?.name ?? null,
    partnerStatus: partner?.status ?? null,
    checks: passedChecks(refusal),
    resetsAt: isDailyCap ? isoTime(resetsAt) : null,
    neededCap: refusal.cap === 'perPartnerDay' && used !== null ? used + (requested ?? 0) : null,
    attempts: attempts.map(shownRefusal),
    now: refusal.cap === 'perUserDay' && !isReset ? null : await later(now),
    afterReset: isDailyCap && !isReset ? await later(resetsAt) : null,
  }
}

async function awardAt(
  queries: LedgerQueries,
  { partnerId, tenantId, endpoint, requested }: Refusal,
  { at, userEmail }: { at: number; userEmail: string | null },
): Promise<RefusalForecast | null> {
  const partner = await queries.partner(partnerId)
  if (partner === undefined || endpoint !== 'award' || requested === null) return null
  const award = { tenantId, amount: requested * amountPerEp, userEmail }
  const { userEmail: _, ...known } = await forecast(queries, partner, { orderId: '', now: at, ...award })
  return known
}
