import { unknown } from '../journal/journal-batch.ts'
import type { CountSum, JournalReader, Span } from '../journal/journal-reader.ts'
import { replayAges } from '../journal/replay-age.ts'
import { isRefusal, type RefusalCode } from '../journal/result-code.ts'
import { isoTime } from '../rules/iso-time.ts'
import { dayMs, utcOffsetMs } from '../rules/vietnam-day.ts'
import type { LedgerQueries } from './ledger-queries.ts'
import { namedPartner } from './named.ts'
import { type ShownRefusal, shownRefusal } from './shown-refusal.ts'

type RefusalQuestion = {
  since: number
  /** Of the rows, those at or before this time. */
  rowsTo?: number | undefined
  now: number
  partnerId?: string | undefined
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
  total: number
  counts: RefusalCount[]
  /** Replays of credited orders, which were not refused, by how soon they came. */
  replays: { age: string; replays: number }[]
  /** Newest first. */
  rows: ShownRefusal[]
  /** The oldest single refusal that is kept; null: none is. */
  rowsSince: string | null
}

/** What was refused, from the journal: all of it in the counts, and as much as was kept in the rows. */
export async function refusals(
  { journal, queries }: { journal: JournalReader; queries: Pick<LedgerQueries, 'partner' | 'partners'> },
  { since, rowsTo, now, partnerId, code, limit }: RefusalQuestion,
): Promise<RefusalAnswer> {
  if (partnerId !== undefined && partnerId !== unknown) await namedPartner(queries, partnerId)
  const { span, from } = spanSince(since, now)
  const by = ['partnerId', 'code', 'detail'] as const
  const sums = await journal.counts({ span, from, to: Number.MAX_SAFE_INTEGER, by, partnerId, code })
  const counts = sums.filter((sum): sum is Counted => isRefusal(sum.code!)).map(refusalCount)
  const rows = await journal.refusals({ from: since, to: rowsTo, partnerId, code, limit })
  const begin = await journal.begin()
  return {
    countedSince: isoTime(from),
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

/** The finest counts that go back that far. */
function spanSince(since: number, now: number): { span: Span; from: number } {
  const { span, lengthMs } = spans.find(({ keptMs }) => since >= now - keptMs)!
  // The beginning of the one that contains `since`; of a day, midnight in Vietnam.
  return { span, from: since - ((since + utcOffsetMs) % lengthMs) }
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
