import type { AccountDay, EntryPlace, Period, SeqRange } from '../answers/ledger-queries.ts'
import type { AccountId } from '../rules/cursor.ts'
import type { Account } from '../rules/entry.ts'
import { addSums } from '../rules/entry-sums.ts'
import { vietnamDayStart } from '../rules/vietnam-day.ts'

type Head = AccountId & Pick<Account, 'seq' | 'awardedAt'>
/** The times of the entries at these places, in their order. */
type TimesAt = (places: EntryPlace[]) => Promise<number[]>

/**
 * The entries of these days in each account. An account's times never run backwards, so that the place where a day begins
 * is found by halving, along the primary key: no index by time is needed. All accounts take a step together, so that
 * PostgreSQL is asked once per step. The search starts at the head, because most questions are about the last days.
 */
export async function rangesOf(heads: Head[], { from, to }: Period, timesAt: TimesAt): Promise<SeqRange[]> {
  const [firsts, ends] = [vietnamDayStart(from), vietnamDayStart(to + 1)]
  const first = await firstSeqsAt(heads, firsts, timesAt)
  const end = await firstSeqsAt(heads, ends, timesAt)
  return heads
    .map(({ partnerId, tenantId }, index) => {
      return { partnerId, tenantId, firstSeq: first[index]!, lastSeq: end[index]! - 1 }
    })
    .filter(({ firstSeq, lastSeq }) => firstSeq <= lastSeq)
}

/** For each account, the seq of the first entry at or after this time; one past the head if there is none. */
async function firstSeqsAt(heads: Head[], ms: number, timesAt: TimesAt): Promise<number[]> {
  // Entries up to `before` are older, those from `found` on are not. While `step` grows, the search looks for an older one.
  const searches = heads.map((head) => ({
    head,
    before: head.awardedAt < ms ? head.seq : 0,
    found: head.awardedAt < ms ? head.seq + 1 : head.seq,
    step: 1 as number | null,
  }))
  for (;;) {
    const open = searches.filter(({ before, found }) => found - before > 1)
    if (open.length === 0) return searches.map(({ found }) => found)
    const seqs = open.map(({ before, found, step }) =>
      step === null ? before + Math.floor((found - before) / 2) : Math.max(before + 1, found - step),
    )
    const places = open.map(({ head: { partnerId, tenantId } }, index) => {
      return { partnerId, tenantId, seq: seqs[index]! }
    })
    const times = await timesAt(places)
    for (const [index, search] of open.entries()) {
      if (times[index]! >= ms) {
        search.found = seqs[index]!
        if (search.step !== null) search.step *= 2
      } else {
        search.before = seqs[index]!
        search.step = null
      }
    }
  }
}

/** Whole entries: these are kept in memory. */
export const entriesInPage = 1000

/** Cuts a range, so that no statement reads more than `size` entries. */
export function* pagesOf(range: SeqRange, size: number): Generator<SeqRange> {
  for (let firstSeq = range.firstSeq; firstSeq <= range.lastSeq; firstSeq += size) {
    yield { ...range, firstSeq, lastSeq: Math.min(range.lastSeq, firstSeq + size - 1) }
  }
}

/** Puts a day together that was cut. Parts of a day follow each other. */
export function mergedDays(parts: AccountDay[]): AccountDay[] {
  const days: AccountDay[] = []
  for (const part of parts) {
    const last = days.at(-1)
    if (last === undefined || !isSameDay(last, part)) days.push(part)
    else days[days.length - 1] = { ...last, ...addSums(last, part), lastSeq: part.lastSeq }
  }
  return days
}

function isSameDay(a: AccountDay, b: AccountDay): boolean {
  return a.partnerId === b.partnerId && a.tenantId === b.tenantId && a.day === b.day
}
