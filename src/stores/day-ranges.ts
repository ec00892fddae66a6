import { Damaged } from '../ledger/errors.ts'
import type { AccountDay, EntryPlace, Period, SeqRange } from '../answers/ledger-queries.ts'
import type { AccountId } from '../rules/cursor.ts'
import type { Account } from '../rules/entry.ts'
import { addSums } from '../rules/entry-sums.ts'
import { vietnamDayStart } from '../rules/vietnam-day.ts'

type Head = AccountId & Pick<Account, 'seq' | 'awardedAt'>
/** The times of the entries at these places, in their order; undefined where there is no entry. */
type TimesAt = (places: EntryPlace[]) => Promise<(number | undefined)[]>

/**
 * The entries of these days in each account. An account's times never run backwards, so that the place where a day begins
 * is found along the primary key: no index by time is needed. All searches take a step together, so that PostgreSQL is
 * asked once per step. `placesMax` is how many places it is asked for at once: with room for several of one search, that
 * search needs fewer steps.
 */
export async function rangesOf(
  heads: Head[],
  { from, to }: Period,
  timesAt: TimesAt,
  placesMax = 1,
): Promise<SeqRange[]> {
  const [firsts, ends] = [vietnamDayStart(from), vietnamDayStart(to + 1)]
  const searches = [
    ...heads.map((head) => newSearch(head, firsts)),
    ...heads.map((head) => newSearch(head, ends)),
  ]
  for (;;) {
    const open = searches.filter(({ before, found }) => found - before > 1)
    if (open.length === 0) break
    const perSearch = Math.max(1, Math.floor(placesMax / open.length))
    const asked = open.map((search) => ({ search, seqs: seqsToAsk(search, perSearch) }))
    const times = await timesAt(
      asked.flatMap(({ search: { head }, seqs }) =>
        seqs.map((seq) => ({ partnerId: head.partnerId, tenantId: head.tenantId, seq })),
      ),
    )
    let at = 0
    for (const { search, seqs } of asked) for (const seq of seqs) narrow(search, seq, times[at++])
  }
  return heads
    .map(({ partnerId, tenantId }, index) => {
      const [first, end] = [searches[index]!, searches[heads.length + index]!]
      return { partnerId, tenantId, firstSeq: first.found, lastSeq: end.found - 1 }
    })
    .filter(({ firstSeq, lastSeq }) => firstSeq <= lastSeq)
}

/**
 * For the first entry at or after `ms`; one past the head if there is none. Entries up to `before` are older, those from
 * `found` on are not. While `step` grows, the search goes back from the head, because most questions are about the last
 * days; then it halves what is left.
 */
type Search = { head: Head; ms: number; before: number; found: number; step: number | null }

function newSearch(head: Head, ms: number): Search {
  const isAfterHead = head.awardedAt < ms
  return {
    head,
    ms,
    before: isAfterHead ? head.seq : 0,
    found: isAfterHead ? head.seq + 1 : head.seq,
    step: 1,
  }
}

/** Between `before` and `found`, in their order. */
function seqsToAsk({ before, found, step }: Search, count: number): number[] {
  const between = found - before - 1
  if (count >= between) return Array.from({ length: between }, (_, index) => before + 1 + index)
  if (count > 1)
    return Array.from(
      { length: count },
      (_, index) => before + Math.ceil(((between + 1) * (index + 1)) / (count + 1)),
    )
  return [step === null ? before + Math.floor((found - before) / 2) : Math.max(before + 1, found - step)]
}

function narrow(search: Search, seq: number, time: number | undefined): void {
  if (time === undefined) {
    const { partnerId, tenantId, seq: last } = search.head
    throw new Damaged(`${partnerId}/${tenantId}: its head is #${last}, but there is no #${seq}: run verify`)
  }
  if (time >= search.ms) {
    search.found = Math.min(search.found, seq)
    if (search.step !== null) search.step *= 2
  } else {
    search.before = Math.max(search.before, seq)
    search.step = null
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
