import type { AccountDay, AccountFilter, Period, SeqRange } from '../../answers/ledger-queries.ts'
import type { AccountId } from '../../rules/cursor.ts'
import type { Account } from '../../rules/entry.ts'
import { answerStatements } from '../answer-statements.ts'
import { mergedDays, type Place, pagesOf, rangesOf } from '../day-ranges.ts'
import { sumsByDay } from '../entry-sums.ts'
import { type Pool, withClient } from './database.ts'
import { readStored } from './stored-values.ts'

/** Some 50 ms of reading: rows that were replaced meanwhile can be cleaned up after it. */
const pageSize = 50_000
/** Ranges whose statements are sent together. */
const rangesAtOnce = 100

/**
 * From the entries themselves: the places of the days are found along the primary key, then each day is added up. Each
 * statement names one account and its numbers, so that the planner knows how few rows it is about.
 */
export async function* readAccountDays(
  pool: Pool,
  { partnerId, tenantId, ...period }: AccountFilter & Period,
): AsyncGenerator<AccountDay[]> {
  const heads = await readAccounts(pool, { partnerId, tenantId })
  const ranges = await readRanges(pool, heads, period)
  for (let at = 0; at < ranges.length; at += rangesAtOnce) {
    const pages = ranges.slice(at, at + rangesAtOnce).flatMap((range) => [...pagesOf(range, pageSize)])
    yield mergedDays(await readPages<AccountDay>(pool, pages, sumsByDay))
  }
}

/** The rows of all pages, in their order. Statements are pipelined; each is a snapshot of its own. */
export async function readPages<T>(
  pool: Pool,
  pages: SeqRange[],
  sql: string,
  ...more: unknown[]
): Promise<T[]> {
  return withClient(pool, async (client) => {
    const rows = await Promise.all(
      pages.map(({ partnerId, tenantId, firstSeq, lastSeq }) =>
        readStored<T>(client, sql, [partnerId, tenantId, firstSeq, lastSeq, ...more]),
      ),
    )
    return rows.flat()
  })
}

export function readAccounts(
  pool: Pool,
  { partnerId, tenantId }: AccountFilter,
): Promise<(AccountId & Account)[]> {
  return withClient(pool, (client) =>
    readStored(client, answerStatements.accounts, [partnerId ?? null, tenantId ?? null]),
  )
}

function readRanges(pool: Pool, heads: (AccountId & Account)[], period: Period): Promise<SeqRange[]> {
  return rangesOf(heads, period, async (places) => {
    const rows = await withClient(pool, (client) =>
      readStored<Place & { time: number }>(client, timesAt, [
        places.map(({ partnerId }) => partnerId),
        places.map(({ tenantId }) => tenantId),
        places.map(({ seq }) => seq),
      ]),
    )
    const times = new Map(rows.map((row) => [keyOf(row), row.time]))
    return places.map((place) => times.get(keyOf(place))!)
  })
}

const timesAt = `
  SELECT partner_id AS "partnerId", tenant_id AS "tenantId", seq, awarded_at AS time
  FROM unnest($1::text[], $2::text[], $3::bigint[]) AS wanted (partner, tenant, place)
    JOIN entries ON entries.partner_id = wanted.partner AND entries.tenant_id = wanted.tenant
      AND entries.seq = wanted.place`

function keyOf({ partnerId, tenantId, seq }: Place): string {
  return `${partnerId} ${tenantId} ${seq}`
}
