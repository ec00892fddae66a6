import { Damaged } from '../../ledger/faults.ts'
import { type EntryPage, entryPageOf } from '../../proof/fast/stored-entry.ts'
import type { AccountId } from '../../rules/cursor.ts'
import type { UserDay } from '../../rules/decide-batch.ts'
import type { Entry } from '../../rules/entry.ts'
import { columns } from '../columns.ts'
import { type EntryRow, entryOf, entrySelection } from '../entry-row.ts'
import type { EntryRange } from '../store.ts'
import type { Client } from './database.ts'

const pageSize = 1000

/**
 * Reads all entries, account after account, each page by a statement of its own: whatever a page shows, no later page
 * takes back. Every call of what it gives reads on: then the heads say which accounts have grown.
 */
export function passOverEntries(client: Client): () => AsyncGenerator<EntryPage> {
  const read = new Map<string, number>()
  let isFirst = true

  return async function* readOn() {
    const pages = isFirst ? allEntries(client) : entriesIn(client, await grownSince(client, read))
    isFirst = false
    for await (const entries of pages) {
      for (const { partnerId, tenantId, seq } of entries) read.set(keyOf({ partnerId, tenantId }), seq)
      yield entryPageOf(entries)
    }
  }
}

async function* entriesIn(client: Client, ranges: EntryRange[]): AsyncGenerator<Entry[]> {
  for await (const rows of entryRowsIn(client, ranges)) yield rows.map(entryOf)
}

/** The entries of these ranges, in their order, each page by a statement of its own. */
export async function* entryRowsIn(client: Client, ranges: EntryRange[]): AsyncGenerator<EntryRow[]> {
  for (const some of inPages(ranges)) {
    const sql = `
      SELECT ${entrySelection}
      FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) AS wanted (partner, tenant, after_seq, up_to)
        JOIN entries ON entries.partner_id = wanted.partner AND entries.tenant_id = wanted.tenant
          AND entries.seq > wanted.after_seq AND entries.seq <= wanted.up_to
      ORDER BY partner_id, tenant_id, seq`
    const rows = await query<EntryRow>(client, sql, [
      some.map(({ partnerId }) => partnerId),
      some.map(({ tenantId }) => tenantId),
      some.map(({ after }) => after),
      some.map(({ upTo }) => upTo),
    ])
    if (rows.length > 0) yield rows
  }
}

/** Cuts ranges, so that no statement gives more than a page. */
function* inPages(ranges: EntryRange[]): Generator<EntryRange[]> {
  let page: EntryRange[] = []
  let room = pageSize
  for (const range of ranges) {
    for (let { after } = range; after < range.upTo; ) {
      const upTo = Math.min(range.upTo, after + room)
      page.push({ ...range, after, upTo })
      room -= upTo - after
      after = upTo
      if (room > 0) continue
      yield page
      page = []
      room = pageSize
    }
  }
  if (page.length > 0) yield page
}

async function* allEntries(client: Client): AsyncGenerator<Entry[]> {
  const sql = `
    SELECT ${entrySelection} FROM entries WHERE (partner_id, tenant_id, seq) > ($1, $2, $3)
    ORDER BY partner_id, tenant_id, seq LIMIT ${pageSize}`
  for (let last: AccountId & { seq: number } = { partnerId: '', tenantId: '', seq: 0 }; ; ) {
    const rows = await query<EntryRow>(client, sql, [last.partnerId, last.tenantId, last.seq])
    if (rows.length === 0) return
    last = rows.at(-1)!
    yield rows.map(entryOf)
  }
}

async function grownSince(client: Client, read: Map<string, number>): Promise<EntryRange[]> {
  const heads = await query<AccountId & { seq: number }>(
    client,
    'SELECT partner_id AS "partnerId", tenant_id AS "tenantId", seq FROM accounts ORDER BY partner_id, tenant_id',
    [],
  )
  return heads
    .map(({ partnerId, tenantId, seq }) => {
      return { partnerId, tenantId, after: read.get(keyOf({ partnerId, tenantId })) ?? 0, upTo: seq }
    })
    .filter(({ after, upTo }) => upTo > after)
}

/** Counters in the order of their key, each page by a statement of its own. */
export async function* readUserDays(client: Client, where: string): AsyncGenerator<UserDay[]> {
  const sql = `
    SELECT ${columns<UserDay>('tenantId', 'userEmail', 'day', 'points')} FROM user_days
    ${where} AND (tenant_id, user_email, day) > ($1, $2, $3)
    ORDER BY tenant_id, user_email, day LIMIT ${pageSize}`
  for (let last: UserDay = { tenantId: '', userEmail: '', day: -1, points: 0 }; ; ) {
    const rows = await query<UserDay>(client, sql, [last.tenantId, last.userEmail, last.day])
    if (rows.length === 0) return
    last = rows.at(-1)!
    yield rows
  }
}

async function query<T>(client: Client, sql: string, values: unknown[]): Promise<T[]> {
  return readable(async () => (await client.query(sql, values)).rows as T[])
}

/** An integer that nothing of ours can have does not fit into a number. */
export async function readable<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new Damaged(`a row cannot be read: ${error.message}`, { cause: error })
  }
}

function keyOf({ partnerId, tenantId }: AccountId): string {
  return `${partnerId} ${tenantId}`
}
