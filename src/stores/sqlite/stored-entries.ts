import {
  type EntryPage,
  hashBytes,
  malformed,
  type StoredEntry,
  saltBytes,
} from '../../proof/stored-entry.ts'
import { byteTextOf } from '../../rules/field-digest.ts'
import type { Database } from './database.ts'
import { isNumber, isText, readable } from './stored-values.ts'

const pageSize = 500

/**
 * Every entry, in the order of its place in the file, as fast as SQLite hands them over: it calls a function with each,
 * which takes half of the time of a row of a result, and puts the salts and hashes of a page together itself, because a
 * buffer of its own for each takes as long as the whole row.
 */
export async function* readStoredEntries(database: Database): AsyncGenerator<EntryPage> {
  let entries: StoredEntry[] = []
  database.function(
    'take_entry',
    takeEntry((entry) => entries.push(entry)),
  )
  const next = database.prepare('SELECT min(rowid) AS first FROM entries WHERE rowid >= ?')
  const page = database.prepare(entryPage)
  for (let from: number | bigint = rowidMin; ; ) {
    const first = readable(() => next.get(from)!.first as number | null)
    if (first === null) return
    from = first + pageSize
    entries = []
    const { salts, hashes } = readable(() => page.get(first, from - 1)) as Record<string, Uint8Array>
    yield { entries, salts: salts!, hashes: byteTextOf(hashes!) }
  }
}
const rowidMin = -(2n ** 63n)

/** A commitment is null of a whole entry, hexadecimal of an erased one, and empty where nothing fits together. */
const entryPage = `
  SELECT
    count(take_entry(partner_id, tenant_id, seq, ep_transaction_id, order_id, user_email, note, meta, raw_amount,
      amount_per_ep, points, awarded_at, per_tx, per_partner_day, per_user_day, partner_day_total, user_day_total,
      CASE
        WHEN octet_length(hash) <> ${hashBytes} THEN ''
        WHEN octet_length(salt) = ${saltBytes} AND commitment IS NULL THEN NULL
        WHEN salt IS NULL AND octet_length(commitment) = ${hashBytes} THEN hex(commitment)
        ELSE ''
      END)),
    CAST(string_agg(coalesce(salt, zeroblob(${saltBytes})), '') AS BLOB) AS salts,
    CAST(string_agg(hash, '') AS BLOB) AS hashes
  FROM entries WHERE rowid BETWEEN ? AND ?`

/** Each column by its name: an array of them would be one more thing to make for every entry. */
const takeEntry =
  (take: (entry: StoredEntry) => void): ((...columns: unknown[]) => null) =>
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
    commitment,
  ) => {
    if (!(isText(partnerId) && isText(tenantId) && isText(epTransactionId) && isText(orderId)))
      throw malformed()
    if (!(isText(userEmail) && (note === null || isText(note)) && (meta === null || isText(meta))))
      throw malformed()
    if (!(isNumber(seq) && isNumber(rawAmount) && isNumber(amountPerEp) && isNumber(points)))
      throw malformed()
    if (!(isNumber(perTx) && isNumber(perPartnerDay) && isNumber(perUserDay))) throw malformed()
    if (!(isNumber(awardedAt) && isNumber(partnerDayTotal) && isNumber(userDayTotal))) throw malformed()
    if (commitment === '') throw malformed()
    take({
      partnerId,
      tenantId,
      seq,
      epTransactionId,
      orderId,
      userEmail,
      note,
      meta,
      commitment: commitment === null ? null : byteTextOf(Buffer.from(commitment as string, 'hex')),
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
