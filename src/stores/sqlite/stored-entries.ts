import { Damaged } from '../../ledger/errors.ts'
import { type EntryPage, hashBytes, malformed, type StoredEntry } from '../../proof/fast/stored-entry.ts'
import { saltBytes } from '../../rules/entry.ts'
import { byteTextOf } from '../../shortcuts/field-digest.ts'
import type { Database } from './database.ts'
import { isNumber, isText, readable } from './stored-values.ts'

const pageSize = 500

/**
 * Reads the entries in the order of their place in the file, which is the order of their commits, as fast as SQLite hands
 * them over: it calls a function with each, which takes half of the time of a row of a result, and puts the salts and
 * hashes of a page together itself, because a buffer of its own for each takes as long as the whole row. Every call of
 * what it gives reads on from where the one before stopped. It reads the table itself, by no index.
 */
export function passOverStoredEntries(database: Database): () => AsyncGenerator<EntryPage> {
  let entries: StoredEntry[] = []
  let isDoubtful = false
  const take = takeEntry(
    (entry) => entries.push(entry),
    () => {
      isDoubtful = true
    },
  )
  const last = database.prepare('SELECT max(rowid) AS last FROM entries NOT INDEXED')
  const next = database.prepare('SELECT min(rowid) AS first FROM entries NOT INDEXED WHERE rowid >= ?')
  database.function('take_entry', take)
  const page = database.prepare(entryPage)
  let from: number | bigint = rowidMin

  return async function* readOn() {
    // New rows get higher rowids, so that nothing is added at or below this one while we read.
    const upTo = readable(() => last.get()!.last as number | null)
    if (upTo === null) return
    database.function('take_entry', take)
    while (from <= upTo) {
      const first = readable(() => next.get(from)!.first as number | null)
      if (first === null || first > upTo) break
      const until = Math.min(first + pageSize - 1, upTo)
      entries = []
      isDoubtful = false
      const { salts, hashes } = readable(() => page.get(first, until)) as Record<string, Uint8Array>
      if (isDoubtful) assertTextsAreWhole(database, first, until)
      from = until + 1
      yield { entries, salts: salts!, hashes: byteTextOf(hashes!) }
    }
    from = upTo + 1
  }
}
const rowidMin = -(2n ** 63n)

const entryPage = `
  SELECT
    count(take_entry(partner_id, tenant_id, seq, ep_transaction_id, order_id, user_email, note, meta, raw_amount,
      amount_per_ep, points, awarded_at, per_tx, per_partner_day, per_user_day, partner_day_total, user_day_total,
      octet_length(hash) = ${hashBytes} AND octet_length(salt) = ${saltBytes} AND commitment IS NULL)),
    CAST(string_agg(salt, '') AS BLOB) AS salts,
    CAST(string_agg(hash, '') AS BLOB) AS hashes
  FROM entries NOT INDEXED WHERE rowid BETWEEN ? AND ?`

/**
 * Bytes that are not UTF-8 are read as the replacement character, which an order, a note or meta may really have: then
 * the hash is right, and still the order is not found again by its text.
 */
function assertTextsAreWhole(database: Database, first: number, until: number): void {
  const rows = database
    .prepare(`
      SELECT order_id, note, meta, CAST(order_id AS BLOB) AS order_bytes, CAST(note AS BLOB) AS note_bytes,
        CAST(meta AS BLOB) AS meta_bytes
      FROM entries NOT INDEXED WHERE rowid BETWEEN ? AND ?`)
    .iterate(first, until)
  for (const row of rows) {
    for (const column of ['order', 'note', 'meta']) {
      const text = row[column === 'order' ? 'order_id' : column] as string | null
      const bytes = row[`${column}_bytes`] as Uint8Array | null
      if (text !== null && Buffer.compare(Buffer.from(text), bytes!) !== 0) {
        throw new Damaged(`an entry's ${column} is not UTF-8 (rows ${first} to ${until} of entries)`)
      }
    }
  }
}

const replacement = '\ufffd'

/** Each column by its name: an array of them would be one more thing to make for every entry. */
const takeEntry =
  (take: (entry: StoredEntry) => void, doubt: () => void): ((...columns: unknown[]) => null) =>
  (
    partnerId,
    tenantId,
    seq,
    epTransactionId,
    orderId,
    userEmail,
    note,
    meta,
    rawAmount,
    amountPerEp,
    points,
    awardedAt,
    perTx,
    perPartnerDay,
    perUserDay,
    partnerDayTotal,
    userDayTotal,
    isWhole,
  ) => {
    if (!(isText(partnerId) && isText(tenantId) && isText(epTransactionId) && isText(orderId)))
      throw malformed()
    if (!(isText(userEmail) && (note === null || isText(note)) && (meta === null || isText(meta))))
      throw malformed()
    if (!(isNumber(seq) && isNumber(rawAmount) && isNumber(amountPerEp) && isNumber(points)))
      throw malformed()
    if (!(isNumber(perTx) && isNumber(perPartnerDay) && isNumber(perUserDay))) throw malformed()
    if (!(isNumber(awardedAt) && isNumber(partnerDayTotal) && isNumber(userDayTotal))) throw malformed()
    if (isWhole !== 1) throw malformed()
    if (
      orderId.includes(replacement) ||
      (note?.includes(replacement) ?? false) ||
      (meta?.includes(replacement) ?? false)
    )
      doubt()
    take({
      partnerId,
      tenantId,
      seq,
      epTransactionId,
      orderId,
      userEmail,
      note,
      meta,
      rawAmount,
      amountPerEp,
      points,
      awardedAt,
      perTx,
      perPartnerDay,
      perUserDay,
      partnerDayTotal,
      userDayTotal,
    })
    return null
  }
