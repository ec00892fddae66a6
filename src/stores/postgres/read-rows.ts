import { randomBytes } from 'node:crypto'
import { Damaged } from '../../ledger/errors.ts'
import { type EntryRow, entrySelection } from '../entry-row.ts'
import type { EntryRange } from '../store.ts'
import type { Client } from './database.ts'
import { readStored } from './stored-values.ts'

const chunkSize = 1000

/** All rows of a query, from a cursor of this transaction. */
export async function* readRows<T>(client: Client, sql: string): AsyncGenerator<T[]> {
  const cursor = `cursor_${randomBytes(8).toString('hex')}`
  await withoutIndexes(client, () => client.query(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${sql}`))
  for (;;) {
    const rows = await readStored<T>(client, `FETCH ${chunkSize} FROM ${cursor}`, [])
    yield rows
    if (rows.length < chunkSize) return
  }
}

const indexScans = ['enable_indexscan', 'enable_indexonlyscan', 'enable_bitmapscan']

/**
 * Plans a statement of this transaction so that it reads the tables themselves and sorts: an index may be damaged, and
 * that is one of the things that the verifier has to find out.
 */
export async function withoutIndexes<T>(client: Client, work: () => Promise<T>): Promise<T> {
  // Where the role has switched off both, PostgreSQL chooses between them.
  await client.query(
    ['enable_seqscan = on', ...indexScans.map((name) => `${name} = off`)].map(setLocal).join('; '),
  )
  const result = await work()
  await client.query(
    ['enable_seqscan', ...indexScans].map((name) => setLocal(`${name} TO DEFAULT`)).join('; '),
  )
  return result
}

const setLocal = (setting: string) => `SET LOCAL ${setting}`

/**
 * The entries of these ranges, in their order, each page by a statement of its own. Ends with the first entry that is
 * missing: a head that was changed from outside may promise more than could ever be looked for.
 */
export async function* readEntryRows(client: Client, ranges: EntryRange[]): AsyncGenerator<EntryRow[]> {
  for (const some of inPages(ranges)) {
    const sql = `
      SELECT ${entrySelection}
      FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) AS wanted (partner, tenant, after_seq, up_to)
        JOIN entries ON entries.partner_id = wanted.partner AND entries.tenant_id = wanted.tenant
          AND entries.seq > wanted.after_seq AND entries.seq <= wanted.up_to
      ORDER BY partner_id, tenant_id, seq`
    const rows = await readStored<EntryRow>(client, sql, [
      some.map(({ partnerId }) => partnerId),
      some.map(({ tenantId }) => tenantId),
      some.map(({ after }) => after),
      some.map(({ upTo }) => upTo),
    ])
    if (rows.length > 0) yield rows
    const wanted = some.reduce((sum, { after, upTo }) => sum + upTo - after, 0)
    if (rows.length < wanted) throw new Damaged('an account has fewer entries than its head says')
  }
}

/** Cuts ranges, so that no statement gives more than a page. */
function* inPages(ranges: EntryRange[]): Generator<EntryRange[]> {
  let page: EntryRange[] = []
  let room = chunkSize
  for (const range of ranges) {
    for (let { after } = range; after < range.upTo; ) {
      const upTo = Math.min(range.upTo, after + room)
      page.push({ ...range, after, upTo })
      room -= upTo - after
      after = upTo
      if (room > 0) continue
      yield page
      page = []
      room = chunkSize
    }
  }
  if (page.length > 0) yield page
}
