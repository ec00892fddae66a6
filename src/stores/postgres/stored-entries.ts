import { type EntryPage, entryPageOf } from '../../proof/fast/stored-entry.ts'
import type { AccountId } from '../../rules/cursor.ts'
import type { Entry } from '../../rules/entry.ts'
import { type EntryRow, entryOf, entrySelection } from '../entry-row.ts'
import type { EntryRange } from '../store.ts'
import type { Client } from './database.ts'
import { readEntryRows } from './read-rows.ts'
import { readStored } from './stored-values.ts'

const pageSize = 1000

/**
 * Reads all entries, account after account, each page by a statement of its own: whatever a page shows, no later page
 * takes back. Each call of the returned function continues: after the first, the heads say which accounts have grown.
 */
export function passOverStoredEntries(client: Client): () => AsyncGenerator<EntryPage> {
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
  for await (const rows of readEntryRows(client, ranges)) yield rows.map(entryOf)
}

/**
 * Also those that no head leads to. But of each account only those that its head leads to now, and of one without a head no more
 * than a page: the last account may grow as fast as we read.
 */
async function* allEntries(client: Client): AsyncGenerator<Entry[]> {
  const sql = `
    SELECT ${entrySelection} FROM entries WHERE (partner_id, tenant_id, seq) > ($1, $2, $3)
    ORDER BY partner_id, tenant_id, seq LIMIT ${pageSize}`
  const upTo = new Map((await headsNow(client)).map((head) => [keyOf(head), head.seq]))
  for (let last: Head = { partnerId: '', tenantId: '', seq: 0 }; ; ) {
    const rows = await readStored<EntryRow>(client, sql, [last.partnerId, last.tenantId, last.seq])
    if (rows.length === 0) return
    const there = rows.filter((row) => row.seq <= (upTo.get(keyOf(row)) ?? Number.POSITIVE_INFINITY))
    last = rows.at(-1)!
    const isDone = there.at(-1) !== last || !upTo.has(keyOf(last))
    if (isDone) last = { ...last, seq: Number.MAX_SAFE_INTEGER } // on to the next account
    if (there.length > 0) yield there.map(entryOf)
  }
}

type Head = AccountId & { seq: number }

function headsNow(client: Client): Promise<Head[]> {
  return readStored<Head>(
    client,
    'SELECT partner_id AS "partnerId", tenant_id AS "tenantId", seq FROM accounts ORDER BY partner_id, tenant_id',
    [],
  )
}

async function grownSince(client: Client, read: Map<string, number>): Promise<EntryRange[]> {
  const heads = await headsNow(client)
  return heads
    .map(({ partnerId, tenantId, seq }) => {
      return { partnerId, tenantId, after: read.get(keyOf({ partnerId, tenantId })) ?? 0, upTo: seq }
    })
    .filter(({ after, upTo }) => upTo > after)
}

function keyOf({ partnerId, tenantId }: AccountId): string {
  return `${partnerId} ${tenantId}`
}
