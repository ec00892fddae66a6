import type { Entry } from '../../rules/entry.ts'
import type { EntryPlace } from '../../answers/ledger-queries.ts'
import { type EntryRow, entryOf, entrySelection } from '../entry-row.ts'
import { type Pool, withClient } from './database.ts'
import { readStored } from './stored-values.ts'

/** Whole entries are up to some kilobytes each. */
const placesMax = 1_000

/** In the order of the places; undefined where there is no entry. */
export async function readEntriesAt(pool: Pool, places: EntryPlace[]): Promise<(Entry | undefined)[]> {
  const found: (EntryRow | undefined)[] = []
  for (let first = 0; first < places.length; first += placesMax)
    found.push(...(await readAt<EntryRow>(pool, places.slice(first, first + placesMax), entrySelection)))
  return found.map((row) => row && entryOf(row))
}

/** When the entries at these places were awarded, in the order of the places; undefined where there is no entry. */
export async function readTimesAt(pool: Pool, places: EntryPlace[]): Promise<(number | undefined)[]> {
  const time = 'partner_id AS "partnerId", tenant_id AS "tenantId", seq, awarded_at AS time'
  return (await readAt<EntryPlace & { time: number }>(pool, places, time)).map((row) => row?.time)
}

/** One statement, which looks each place up along the primary key. */
async function readAt<T extends EntryPlace>(
  pool: Pool,
  places: EntryPlace[],
  selection: string,
): Promise<(T | undefined)[]> {
  const sql = `
    SELECT ${selection} FROM unnest($1::text[], $2::text[], $3::bigint[]) AS wanted (partner, tenant, place)
      JOIN entries ON entries.partner_id = wanted.partner AND entries.tenant_id = wanted.tenant
        AND entries.seq = wanted.place`
  const rows = await withClient(pool, (client) =>
    readStored<T>(client, sql, [
      places.map(({ partnerId }) => partnerId),
      places.map(({ tenantId }) => tenantId),
      places.map(({ seq }) => seq),
    ]),
  )
  const byPlace = new Map(rows.map((row) => [nameOf(row), row]))
  return places.map((place) => byPlace.get(nameOf(place)))
}

/** Ids have no spaces. */
function nameOf({ partnerId, tenantId, seq }: EntryPlace): string {
  return `${partnerId} ${tenantId} ${seq}`
}
