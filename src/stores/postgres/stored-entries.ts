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

async function* allEntries(client: Client): AsyncGenerator<Entry[]> {
  const sql = `
    SELECT ${entrySelection} FROM entries WHERE (partner_id, tenant_id, seq) > ($1, $2, $3)
    ORDER BY partner_id, tenant_id, seq LIMIT ${pageSize}`
  for (let last: AccountId & { seq: number } = { partnerId: '', tenantId: '', seq: 0 }; ; ) {
    const rows = await readStored<EntryRow>(client, sql, [last.partnerId, last.tenantId, last.seq])
    if (rows.length === 0) return
    last = rows.at(-1)!
    yield rows.map(entryOf)
  }
}

async function grownSince(client: Client, read: Map<string, number>): Promise<EntryRange[]> {
  const heads = await readStored<AccountId & { seq: number }>(
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

function keyOf({ partnerId, tenantId }: AccountId): string {
  return `${partnerId} ${tenantId}`
}
