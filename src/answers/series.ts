import type { Span } from '../journal/journal-reader.ts'
import { Refused } from '../partners/refused.ts'
import { isoTime } from '../rules/iso-time.ts'
import { dayMs } from '../rules/vietnam-day.ts'
import { namedPartner, namedTenant } from './named.ts'
import { addCount, noRequests, type RequestFigures } from './request-figures.ts'
import { readSettings } from './settings.ts'
import type { AnswerSources } from './sources.ts'

/** Requests per minute, hour or day, for charts. */
type SeriesAnswer = {
  span: Span
  from: string
  to: string
  /** Since when requests are counted; null: not yet. */
  countedSince: string | null
  /** Oldest first. Without a request there is no point. */
  points: (RequestFigures & { at: string })[]
}

type SeriesQuestion = {
  span: Span
  /** From this time, until before the other one. */
  from: number
  to: number
  partnerId?: string | undefined
  /** A sandbox tenant that is asked for by name is not left out. */
  tenantId?: string | undefined
}

const spanMs: Record<Span, number> = { minute: 60_000, hour: 3_600_000, day: dayMs }
/** A day of minutes, with some to spare. */
const pointsMax = 2_000

export async function series(
  { queries, journal }: AnswerSources,
  { span, from, to, partnerId, tenantId }: SeriesQuestion,
): Promise<SeriesAnswer> {
  if (from > to) throw new Refused('the period ends before it begins')
  if (to - from > pointsMax * spanMs[span])
    throw new Refused(
      `the period has more than ${pointsMax} points: ask for a shorter one, or for a longer span`,
    )
  if (partnerId !== undefined) await namedPartner(queries, partnerId)
  if (tenantId !== undefined) await namedTenant(queries, tenantId)
  const { sandboxes } = await readSettings(queries)
  const counts = await journal.counts({
    span,
    from,
    to,
    by: ['start', 'endpoint', 'code'],
    partnerId,
    tenantId,
    withoutTenants: tenantId === undefined ? sandboxes : [],
  })
  const points = new Map<number, RequestFigures>()
  for (const count of counts)
    points.set(count.start!, addCount(points.get(count.start!) ?? noRequests, count))
  const begin = await journal.begin()
  return {
    span,
    from: isoTime(from),
    to: isoTime(to),
    countedSince: begin.counts === null ? null : isoTime(begin.counts),
    points: [...points].sort(([a], [b]) => a - b).map(([at, figures]) => ({ at: isoTime(at), ...figures })),
  }
}
