import type { AccountDay, Period, SeqRange } from '../../answers/ledger-queries.ts'
import type { AccountId } from '../../rules/cursor.ts'
import { addSums } from '../../rules/entry-sums.ts'
import { vietnamDayStart } from '../../rules/vietnam-day.ts'
import { sumsByDay } from '../entry-sums.ts'
import { isDistributed } from './citus/is-distributed.ts'
import { type Pool, withClient } from './database.ts'
import { readStored } from './stored-values.ts'

export type BlockLimits = {
  /** With fewer entries, or fewer of them in each block of the table, the primary key is faster. */
  entriesMin: number
  perBlockMin: number
  /** Of all accounts: these are kept in memory. */
  daysMax: number
  /** Of one statement: some 50 ms of reading. */
  blocksMax: number
}

export const usualBlockLimits: BlockLimits = {
  entriesMin: 200_000,
  perBlockMin: 5,
  daysMax: 300_000,
  blocksMax: 2_000,
}

type FoundDay = AccountDay & { entries: number }

/**
 * Many days of many accounts, read in the order in which the entries are stored, which is about the order of their times.
 * Along the primary key, nearly every entry would be on another page. That order is not certain: the space of a
 * transaction that was rolled back is used again later. So only the accounts of which every entry was found are in the
 * result, each named by `nameOf`.
 */
export async function readDaysByBlock(
  pool: Pool,
  ranges: SeqRange[],
  { from, to }: Period,
  { entriesMin, perBlockMin, daysMax, blocksMax }: BlockLimits = usualBlockLimits,
): Promise<Map<string, AccountDay[]>> {
  const entries = ranges.reduce((sum, range) => sum + sizeOf(range), 0)
  if (entries < entriesMin || ranges.length * (to - from + 1) > daysMax) return new Map()
  // There, each shard has blocks of its own.
  if (await withClient(pool, isDistributed)) return new Map()
  const { first, last } = await readBlocks(pool, ranges)
  if (entries < (last - first + 1) * perBlockMin) return new Map()

  const days = new Map<string, FoundDay>()
  for (let block = first; block <= last; block += blocksMax) {
    const rows = await withClient(pool, (client) =>
      readStored<FoundDay>(client, sumsOfBlocks, [
        `(${block},0)`,
        `(${Math.min(last + 1, block + blocksMax)},0)`,
        vietnamDayStart(from),
        vietnamDayStart(to + 1),
      ]),
    )
    for (const row of rows) {
      const name = `${nameOf(row)} ${row.day}`
      const known = days.get(name)
      days.set(name, known === undefined ? row : together(known, row))
    }
  }
  const found = Map.groupBy(days.values(), nameOf)
  return new Map(
    ranges
      .map((range): [string, FoundDay[]] => [nameOf(range), found.get(nameOf(range)) ?? []])
      .filter(([, own], index) => hasAllOf(ranges[index]!, own))
      .map(([name, own]) => [name, own.sort((a, b) => a.day - b.day).map(accountDay)]),
  )
}

/** Ids have no spaces. */
export function nameOf({ partnerId, tenantId }: AccountId): string {
  return `${partnerId} ${tenantId}`
}

const sumsOfBlocks = sumsByDay(
  'ctid >= $1::tid AND ctid < $2::tid AND awarded_at >= $3 AND awarded_at < $4',
  ', count(*) AS entries',
)

/** Where the first and the last entries of the ranges are. */
async function readBlocks(pool: Pool, ranges: SeqRange[]): Promise<{ first: number; last: number }> {
  const [row] = await withClient(pool, (client) =>
    readStored<{ first: number; last: number }>(
      client,
      `SELECT min(block) AS first, max(block) AS last
       FROM (SELECT (entries.ctid::text::point)[0]::bigint AS block
         FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) AS wanted (partner, tenant, first, last)
           JOIN entries ON partner_id = wanted.partner AND tenant_id = wanted.tenant
             AND seq IN (wanted.first, wanted.last)) AS ends`,
      [
        ranges.map(({ partnerId }) => partnerId),
        ranges.map(({ tenantId }) => tenantId),
        ranges.map(({ firstSeq }) => firstSeq),
        ranges.map(({ lastSeq }) => lastSeq),
      ],
    ),
  )
  return row!
}

function together(a: FoundDay, b: FoundDay): FoundDay {
  return {
    ...a,
    ...addSums(a, b),
    firstSeq: Math.min(a.firstSeq, b.firstSeq),
    lastSeq: Math.max(a.lastSeq, b.lastSeq),
    entries: a.entries + b.entries,
  }
}

function hasAllOf(range: SeqRange, days: FoundDay[]): boolean {
  const entries = days.reduce((sum, day) => sum + day.entries, 0)
  return (
    entries === sizeOf(range) &&
    days.every(({ firstSeq, lastSeq }) => firstSeq >= range.firstSeq && lastSeq <= range.lastSeq)
  )
}

function sizeOf({ firstSeq, lastSeq }: SeqRange): number {
  return lastSeq - firstSeq + 1
}

function accountDay({ entries, ...day }: FoundDay): AccountDay {
  return day
}
