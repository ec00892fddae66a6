import type { LedgerQueries, Slow } from '../../answers/ledger-queries.ts'
import type { Entry } from '../../rules/entry.ts'
import { type EntryRow, entryOf, entrySelection } from '../entry-row.ts'
import { newestFirst } from '../user-rows.ts'
import type { Database } from './database.ts'
import { type EntryPlaces, type MissingPlaces, nowhere, type Places } from './follower/entry-places.ts'
import { prepareReading } from './stored-values.ts'
import { readUserEntries } from './user-entries.ts'

type EntrySearch = Pick<LedgerQueries, 'entriesOfOrder' | 'entriesOfId' | 'entriesOfAddress'>

/** Some 20 ms of reading: the log can start over between two statements. */
const scanSize = 20_000
/** Up to this many entries that are not in the read model yet are read without telling the operator. */
const silentMax = 50_000
/** Of one user: an import writes in the order of accounts, so that the newest award can be at any of the user's places. */
const placesMax = 100_000

/**
 * Entries that the ledger has no index for. The read model says where they may be: what it says is compared with the
 * entries themselves, and the entries behind it are read one by one. An order is in the index of each partner's orders.
 */
export function createEntrySearch(ledger: Database, places: EntryPlaces | MissingPlaces): EntrySearch {
  const read = (sql: string) => prepareReading(ledger, 'entries', sql)
  const readPlaces = (sql: string) => prepareReading(ledger, 'entries (look at its rowid)', sql)
  const entriesAt = read(`SELECT ${entrySelection} FROM entries WHERE rowid = ?`)
  const timeAt = read('SELECT awarded_at AS "awardedAt" FROM entries WHERE rowid = ?')
  const lastPlace = readPlaces('SELECT coalesce(max(rowid), 0) AS place FROM entries')
  const lastPlaceUpTo = readPlaces('SELECT coalesce(max(rowid), 0) AS place FROM entries WHERE rowid <= ?')
  const ofPartner = read(`SELECT ${entrySelection} FROM entries WHERE partner_id = ? AND order_id = ?`)
  const ofEachPartner = readPlaces(`
    SELECT entries.rowid AS place FROM partners CROSS JOIN entries
    ON entries.partner_id = partners.partner_id AND entries.order_id = ?`)
  const tenantIds = ledger.prepare('SELECT tenant_id FROM tenants')
  const scans = {
    ep_transaction_id: read(scanBy('ep_transaction_id')),
    user_email: read(scanBy('user_email')),
  }

  /** The entries behind this place with this value; at most about as many as asked for. */
  function scan(
    column: keyof typeof scans,
    value: string,
    after: number,
    limit: number,
    slow: Slow,
  ): Entry[] {
    const end = lastPlace.get()!.place as number
    const found: Entry[] = []
    let upTo = end
    while (upTo > after && found.length < limit) {
      const from = Math.max(after, upTo - scanSize)
      found.push(...(scans[column].all(from, upTo, value) as EntryRow[]).map(entryOf))
      if (end - after > silentMax) slow.show((end - from) / (end - after))
      // Not `from`: a place that somebody made up may be far behind all the others.
      upTo = lastPlaceUpTo.get(from)!.place as number
    }
    return found
  }

  /** The newest. The read model gives only hints. */
  function entriesIn({ places }: Places, isWanted: (entry: Entry) => boolean, limit: number): Entry[] {
    const found: Entry[] = []
    for (const place of latestFirst(places)) {
      if (found.length >= limit) break
      const row = entriesAt.get(place) as EntryRow | undefined
      const entry = row && entryOf(row)
      if (entry !== undefined && isWanted(entry)) found.push(entry)
    }
    return found
  }

  /** Only the times of all of them are read: together, their notes and metas may be larger than the memory. */
  function latestFirst(places: number[]): number[] {
    return places
      .map((place) => ({ place, at: (timeAt.get(place)?.awardedAt ?? 0) as number }))
      .sort((one, other) => other.at - one.at || other.place - one.place)
      .map(({ place }) => place)
  }

  function placesBehind(position: number): number {
    return (lastPlace.get()!.place as number) - position
  }

  return {
    async entriesOfOrder(orderId, partnerId) {
      if (partnerId !== undefined) return (ofPartner.all(partnerId, orderId) as EntryRow[]).map(entryOf)
      // CROSS JOIN keeps the order of the tables: one statement probes the index of orders once for each partner.
      return ofEachPartner.all(orderId).map(({ place }) => entryOf(entriesAt.get(place!) as EntryRow))
    },

    async entriesOfId(epTransactionId, slow) {
      const known = 'why' in places ? nowhere : places.ofId(epTransactionId)
      const found = entriesIn(known, (entry) => entry.epTransactionId === epTransactionId, placesMax)
      if (found.length > 0) return found
      const behind = placesBehind(known.position)
      if (behind > silentMax) slow.say(`${whyMissing(places, behind)}. They are read one by one`)
      return scan('ep_transaction_id', epTransactionId, known.position, 1, slow)
    },

    async entriesOfAddress({ userEmail, tenantId, partnerId }, limit, slow) {
      const inTenants =
        tenantId === undefined ? tenantIds.all().map((row) => row.tenant_id as string) : [tenantId]
      const users = inTenants.map((tenantId) => ({ tenantId, userEmail }))
      const isWanted = (entry: Entry) =>
        entry.userEmail === userEmail &&
        (tenantId === undefined || entry.tenantId === tenantId) &&
        (partnerId === undefined || entry.partnerId === partnerId)
      const known = 'why' in places ? nowhere : places.ofUsers(users, placesMax)
      const behind = placesBehind(known.position)
      if (behind <= silentMax) {
        const tail = scan('user_email', userEmail, known.position, placesMax, slow).filter(isWanted)
        return newestFirst([...tail, ...entriesIn(known, isWanted, limit)]).slice(0, limit)
      }
      slow.say(`${whyMissing(places, behind)}. The days on which the user got EP are read instead`)
      const found: Entry[] = []
      const perUser = partnerId === undefined ? limit : placesMax
      for (const user of users) found.push(...(await readUserEntries(ledger, user, perUser)).filter(isWanted))
      return newestFirst(found).slice(0, limit)
    },
  }
}

function whyMissing(places: EntryPlaces | MissingPlaces, behind: number): string {
  return 'why' in places
    ? `The search index is missing, because ${places.why}: it would find one of ${behind} entries at once`
    : `The search index does not have the last ${behind} entries yet`
}

function scanBy(column: string): string {
  return `
    SELECT ${entrySelection} FROM entries NOT INDEXED
    WHERE rowid > ? AND rowid <= ? AND ${column} = ? ORDER BY rowid DESC`
}
