import { type Endpoint, others, unknown } from '../journal/journal-batch.ts'
import type { CountSum, Span } from '../journal/journal-reader.ts'
import { replayAges } from '../journal/replay-age.ts'
import { isRefusal, type RefusalCode } from '../journal/result-code.ts'
import { Refused } from '../partners/refused.ts'
import { isoTime } from '../rules/iso-time.ts'
import { isSandbox } from '../rules/tenant-mode.ts'
import { dayMs, utcOffsetMs } from '../rules/vietnam-day.ts'
import type { LedgerQueries } from './ledger-queries.ts'
import { namedPartner, namedTenant } from './named.ts'
import { type ShownRefusal, shownRefusal } from './shown-refusal.ts'
import type { AnswerSources } from './sources.ts'

type RefusalQuestion = {
  since: number
  /** Before this time; up to now if absent. */
  until?: number | undefined
  /** Of the rows, those at or before this time. */
  rowsTo?: number | undefined
  now: number
  partnerId?: string | undefined
  tenantId?: string | undefined
  /** A sandbox tenant that is asked for by name is not left out. */
  withoutSandboxes?: boolean
  endpoint?: Endpoint | undefined
  code?: RefusalCode | undefined
  limit: number
}

type RefusalCount = {
  partnerId: string
  code: RefusalCode
  /** Of a refusal by a cap. */
  cap: string | null
  refusals: number
  /** EP that the awards would have had. */
  points: number
}

export type RefusalAnswer = {
  /** Counts are kept by minutes, later by hours and by days: they may begin a little earlier than was asked for. */
  countedSince: string
  /** And end a little later; null: they have no end. */
  countedUntil: string | null
  total: number
  counts: RefusalCount[]
  /** Replays of credited orders, which were not refused, by how soon they came. */
  replays: { age: string; replays: number }[]
  /** Newest first. */
  rows: ShownRefusal[]
  /** The oldest single refusal that is kept; null: none is. */
  rowsSince: string | null
}

/** What the journal writes in place of an id. */
const unnamed = [unknown, others]

/** What was refused, from the journal: all of it in the counts, and as much as was kept in the rows. */
export async function refusals(
  { journal, queries }: Pick<AnswerSources, 'journal' | 'queries'>,
  question: RefusalQuestion,
): Promise<RefusalAnswer> {
  const { since, until, rowsTo = Number.MAX_SAFE_INTEGER, now, limit, withoutSandboxes = false } = question
  const { partnerId, tenantId, endpoint, code } = question
  if (until !== undefined && until <= since) throw new Refused('the period ends before it begins')
  if (partnerId !== undefined && !unnamed.includes(partnerId)) await namedPartner(queries, partnerId)
  if (tenantId !== undefined && !unnamed.includes(tenantId)) await namedTenant(queries, tenantId)
  const withoutTenants = withoutSandboxes && tenantId === undefined ? await sandboxesOf(queries) : []
  const only = { partnerId, tenantId, withoutTenants, endpoint, code }
  const { span, from, endOf } = spanSince(since, now)
  const to = until === undefined ? null : endOf(until)
  const by = ['partnerId', 'code', 'detail'] as const
  const sums = await journal.counts({ span, from, to: to ?? Number.MAX_SAFE_INTEGER, by, ...only })
  const counts = sums.filter((sum): sum is Counted => isRefusal(sum.code!)).map(refusalCount)
  const lastAt = Math.min(rowsTo, until === undefined ? rowsTo : until - 1)
  const rows = await journal.refusals({ from: since, to: lastAt, ...only, limit })
  const begin = await journal.begin()
  return {
    countedSince: isoTime(from),
    countedUntil: to === null ? null : isoTime(to),
    total: counts.reduce((total, { refusals }) => total + refusals, 0),
    replays: replaysOf(sums),
    counts: counts.sort((a, b) => b.refusals - a.refusals),
    rows: rows.map(shownRefusal),
    rowsSince: begin.refusals === null ? null : isoTime(begin.refusals),
  }
}

/** How long minutes and hours are kept, less an hour and a day: what is being deleted meanwhile is not needed. */
const spans: { span: Span; keptMs: number; lengthMs: number }[] = [
  { span: 'minute', keptMs: 7 * dayMs - 3_600_000, lengthMs: 60_000 },
  { span: 'hour', keptMs: 89 * dayMs, lengthMs: 3_600_000 },
  { span: 'day', keptMs: Number.POSITIVE_INFINITY, lengthMs: dayMs },
]

type CountedSpan = { span: Span; from: number; endOf(time: number): number }

/** The finest counts that go back that far. */
function spanSince(since: number, now: number): CountedSpan {
  const { span, lengthMs } = spans.find(({ keptMs }) => since >= now - keptMs)!
  // The beginning of the one that contains the time; of a day, midnight in Vietnam.
  const startOf = (time: number) => time - ((time + utcOffsetMs) % lengthMs)
  return { span, from: startOf(since), endOf: (time) => startOf(time + lengthMs - 1) }
}

async function sandboxesOf(queries: Pick<LedgerQueries, 'tenants'>): Promise<string[]> {
  const { sound, damaged } = await queries.tenants()
  return [...sound, ...damaged].filter(isSandbox).map(({ tenantId }) => tenantId)
}

function replaysOf(sums: CountSum[]): RefusalAnswer['replays'] {
  return replayAges
    .map((age) => ({
      age,
      replays: sums
        .filter(({ code, detail }) => code === 'DUPLICATE' && detail === age)
        .reduce((total, { responses }) => total + responses, 0),
    }))
    .filter(({ replays }) => replays > 0)
}

type Counted = CountSum & { partnerId: string; code: RefusalCode; detail: string }

function refusalCount({ partnerId, code, detail, responses, points }: Counted): RefusalCount {
  return { partnerId, code, cap: detail === '' ? null : detail, refusals: responses, points }
}
