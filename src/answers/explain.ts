import { replayAges } from '../journal/replay-age.ts'
import type { Entry } from '../rules/entry.ts'
import { amountPerEp } from '../rules/points.ts'
import { vietnamDay, vietnamDayStart } from '../rules/vietnam-day.ts'
import { type CreditedOrder, creditedOrder } from './credited-order.ts'
import { type Forecast, forecast, type SupposedAward } from './forecast.ts'
import type { ShownPartner } from './ledger-queries.ts'
import { namedPartner, namedTenant, namedUser } from './named.ts'
import { type OrderInJournal, orderInJournal } from './order-in-journal.ts'
import { type OrderReplays, orderReplays } from './order-replays.ts'
import type { AnswerSources } from './sources.ts'

/** Replays of the partner in the tenant on the day of the award, of all orders. */
export type ReplaysOfDay = {
  /** False: the journal begins later. */
  isCounted: boolean
  total: number
  byAge: { age: string; replays: number }[]
}

export type Explanation =
  | ({
      credited: true
      journal: OrderInJournal
      replays: OrderReplays
      replaysOfDay: ReplaysOfDay
    } & CreditedOrder)
  | {
      credited: false
      partnerId: string
      orderId: string
      journal: OrderInJournal
      /** What would happen now, in the tenants that it may be about. */
      now: Forecast[]
    }

type ExplainQuestion = {
  partnerId: string
  orderId: string
  now: number
  /** What the asker knows of an order that is not in the ledger. */
  supposed: { tenantId?: string | undefined; userEmail?: string | undefined; amount?: number | undefined }
}

const forecastsMax = 10

/** Why an order was credited with so many points; or why it was not, and what would happen now. */
export async function explain(sources: AnswerSources, question: ExplainQuestion): Promise<Explanation> {
  const { queries } = sources
  const { partnerId, orderId, now } = question
  const partner = await namedPartner(queries, partnerId)
  const entry = await queries.entryOfOrder({ partnerId, orderId })
  const journal = await orderInJournal(sources, { partnerId, orderId })
  if (entry !== undefined) {
    return {
      credited: true,
      ...(await creditedOrder(queries, entry)),
      journal,
      replays: await orderReplays(sources, entry),
      replaysOfDay: await replaysOfDay(sources, entry),
    }
  }
  if (question.supposed.tenantId !== undefined) await namedTenant(queries, question.supposed.tenantId)
  const awards = supposedAwards(partner, journal, question.supposed).slice(0, forecastsMax)
  const forecasts: Forecast[] = []
  for (const award of awards) forecasts.push(await forecast(queries, partner, { orderId, now, ...award }))
  return { credited: false, partnerId, orderId, journal, now: forecasts }
}

async function replaysOfDay(
  { journal }: AnswerSources,
  { partnerId, tenantId, awardedAt }: Entry,
): Promise<ReplaysOfDay> {
  const from = vietnamDayStart(vietnamDay(awardedAt))
  const to = vietnamDayStart(vietnamDay(awardedAt) + 1)
  const account = { partnerId, tenantId, code: 'DUPLICATE' }
  const sums = await journal.counts({ span: 'day', from, to, by: ['detail'], ...account })
  const { counts } = await journal.begin()
  const byAge = sums
    .map(({ detail, responses }) => ({ age: detail!, replays: responses }))
    .sort((a, b) => replayAges.indexOf(a.age) - replayAges.indexOf(b.age))
  return {
    isCounted: counts !== null && counts <= from,
    total: byAge.reduce((sum, { replays }) => sum + replays, 0),
    byAge,
  }
}

/** The order as it was refused last, as far as the journal knows it, completed and corrected by what the asker knows. */
function supposedAwards(
  partner: ShownPartner,
  { refusals }: OrderInJournal,
  { tenantId, userEmail, amount }: ExplainQuestion['supposed'],
): SupposedAward[] {
  const last = refusals.find((refusal) => tenantId === undefined || refusal.tenantId === tenantId)
  const requested = refusals.find((refusal) => refusal.requested !== null)?.requested ?? null
  const tenants =
    tenantId !== undefined
      ? [tenantId]
      : last !== undefined
        ? [last.tenantId]
        : partner.grants.map((grant) => grant.tenantId)
  return tenants.map((tenant) => ({
    tenantId: tenant,
    amount: amount ?? (requested === null ? null : requested * amountPerEp),
    userEmail: userEmail === undefined ? null : namedUser(userEmail),
  }))
}
