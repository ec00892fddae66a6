import type { CountSum } from '../journal/journal-reader.ts'
import { isRefusal, type RefusalCode, type ResultCode } from '../journal/result-code.ts'
import { isoTime } from '../rules/iso-time.ts'
import { dayMs, dayText, vietnamDay, vietnamDayStart } from '../rules/vietnam-day.ts'
import { type ShownAlert, alerts } from './alerts.ts'
import { type DayFigures, partnersDay } from './day-figures.ts'
import { addCount, noRequests } from './request-figures.ts'
import type { AnswerSources } from './sources.ts'
import { type AccountUsage, fullestFirst } from './usage.ts'

/** Is anything wrong now, and who is near a cap? */
type OverviewAnswer = {
  now: string
  day: string
  endsAt: string
  today: DayFigures
  yesterday: { untilNow: DayFigures; awards: number; points: number }
  accounts: AccountUsage[]
  refusalsByCode: CodeFigures[]
  /** Open ones. */
  alerts: ShownAlert[]
  partners: number
  tenants: number
}

/** Refused requests for an award. `yesterday` is until the same time of the day. */
type CodeFigures = { code: RefusalCode; refusals: number; points: number; yesterday: number }

const accountsMax = 10
const alertsMax = 20

export async function overview(sources: AnswerSources, now: number): Promise<OverviewAnswer> {
  const { queries, journal } = sources
  const day = vietnamDay(now)
  const [start, end] = [vietnamDayStart(day), vietnamDayStart(day + 1)]
  const today = await partnersDay(sources, { day })
  const before = await partnersDay(sources, { day: day - 1 })
  const { sandboxes, capsOf, damageOf, isSandbox, partners, tenants } = today.settings
  const untilNow = await journal.counts({
    span: 'minute',
    from: start - dayMs,
    to: now - dayMs,
    by: ['endpoint', 'code'],
    withoutTenants: sandboxes,
  })
  const { awards, points, refused, replays } = untilNow.reduce(addCount, noRequests)
  const codes = await journal.counts({
    span: 'day',
    from: start,
    to: end,
    by: ['endpoint', 'code'],
    withoutTenants: sandboxes,
  })
  const { alerts: raised } = await alerts(queries, journal, { since: now, limit: alertsMax })
  const accounts = today.accounts
    .filter((account) => damageOf(account) === null)
    .map(({ partnerId, tenantId, awards, points }) => {
      const { perPartnerDay } = capsOf({ partnerId, tenantId })
      return { partnerId, tenantId, sandbox: isSandbox(tenantId), awards, points, perPartnerDay }
    })
  return {
    now: isoTime(now),
    day: dayText(day),
    endsAt: isoTime(end),
    today: today.total,
    yesterday: {
      untilNow: { awards, points, refused, replays },
      awards: before.total.awards,
      points: before.total.points,
    },
    accounts: accounts.sort(fullestFirst).slice(0, accountsMax),
    refusalsByCode: byCode(codes, untilNow),
    alerts: raised.filter(({ endedAt }) => endedAt === null),
    partners,
    tenants: tenants.size,
  }
}

/** The codes of today and yesterday, most frequent first. */
function byCode(today: CountSum[], yesterday: CountSum[]): CodeFigures[] {
  const isCounted = ({ code, endpoint }: CountSum) => endpoint === 'award' && isRefusal(code as ResultCode)
  const figures = new Map<RefusalCode, CodeFigures>()
  for (const { code, responses, points } of today.filter(isCounted))
    figures.set(code as RefusalCode, { code: code as RefusalCode, refusals: responses, points, yesterday: 0 })
  for (const { code, responses } of yesterday.filter(isCounted)) {
    const known = figures.get(code as RefusalCode) ?? { code: code as RefusalCode, refusals: 0, points: 0 }
    figures.set(known.code, { ...known, yesterday: responses })
  }
  return [...figures.values()].sort((a, b) => b.refusals - a.refusals || b.yesterday - a.yesterday)
}
