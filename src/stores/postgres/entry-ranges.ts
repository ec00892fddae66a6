import type { SeqRange } from '../../answers/ledger-queries.ts'
import { pagesOf } from '../day-ranges.ts'
import { type Pool, withClient } from './database.ts'
import { readStored } from './stored-values.ts'

/** Of one statement. */
export type StatementLimits = { entriesMax: number; rangesMax: number }

/** Some 50 ms of reading: rows that were replaced meanwhile can be cleaned up after it. */
export const usualLimits: StatementLimits = { entriesMax: 50_000, rangesMax: 1_000 }

/** Entries of one of the ranges of `ofRanges`. */
export const inWantedRange =
  'partner_id = wanted.partner AND tenant_id = wanted.tenant AND seq BETWEEN wanted.first AND wanted.last'

/**
 * The rows that `select` gives for each range. It has to group what it selects: then the planner cannot join the ranges with
 * all entries, and looks each one up along the primary key.
 */
export const ofRanges = (select: string) => `
  unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) AS wanted (partner, tenant, first, last)
  CROSS JOIN LATERAL (${select}) AS of_range`

/** The rows of all ranges, in their order. Each statement reads a bounded number of entries, of as many ranges as fit. */
export async function* readRangeRows<T>(
  pool: Pool,
  ranges: SeqRange[],
  { sql, values = [], limits = usualLimits }: { sql: string; values?: unknown[]; limits?: StatementLimits },
): AsyncGenerator<T[]> {
  for (const group of groupsOf(ranges, limits)) {
    yield await withClient(pool, (client) =>
      readStored<T>(client, sql, [
        group.map(({ partnerId }) => partnerId),
        group.map(({ tenantId }) => tenantId),
        group.map(({ firstSeq }) => firstSeq),
        group.map(({ lastSeq }) => lastSeq),
        ...values,
      ]),
    )
  }
}

function* groupsOf(ranges: SeqRange[], { entriesMax, rangesMax }: StatementLimits): Generator<SeqRange[]> {
  let group: SeqRange[] = []
  let entries = 0
  for (const range of ranges) {
    for (const page of pagesOf(range, entriesMax)) {
      const size = page.lastSeq - page.firstSeq + 1
      if (group.length === rangesMax || (group.length > 0 && entries + size > entriesMax)) {
        yield group
        group = []
        entries = 0
      }
      group.push(page)
      entries += size
    }
  }
  if (group.length > 0) yield group
}
