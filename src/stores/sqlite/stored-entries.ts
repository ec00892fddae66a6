import { Damaged } from '../../ledger/faults.ts'
import type { Entry } from '../../rules/entry.ts'
import { type EntryRow, entryOf, entrySelection } from '../entry-row.ts'
import type { Database } from './database.ts'

/**
 * Reads every entry in the order of its place in the file, a page at a time. To hand over a value takes SQLite longer
 * than to read it, so the texts of a row come in one piece, and pages of arrays instead of one object after another.
 */
export async function* readEntriesAsStored(database: Database): AsyncGenerator<Entry[]> {
  const page = database.prepare(pageQuery)
  page.setReturnArrays(true)
  const exact = database.prepare(`SELECT ${entrySelection} FROM entries WHERE rowid = ?`)
  for (let from: number | bigint = rowidMin; ; ) {
    const rows = readable(() => page.all(from) as unknown as StoredRow[])
    yield rows.map((row) => entryOfTexts(row) ?? entryOf(exact.get(row[0]) as EntryRow))
    if (rows.length < pageSize) return
    from = rows.at(-1)![0] + 1
  }
}

/** An integer that no award can have does not fit into a number. */
function readable<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new Damaged(`a row cannot be read: ${error.message}`, { cause: error })
  }
}

const rowidMin = -(2n ** 63n)
const pageSize = 500
const separator = '\u001f'

const pageQuery = `
  SELECT rowid, seq, raw_amount, amount_per_ep, points, awarded_at, per_tx, per_partner_day, per_user_day,
    partner_day_total, user_day_total, note, meta, iif(salt IS NULL, NULL, hex(salt)), commitment,
    concat_ws('${separator}', partner_id, tenant_id, ep_transaction_id, order_id, user_email, hex(hash))
  FROM entries WHERE rowid >= ? ORDER BY rowid LIMIT ${pageSize}`

type StoredRow = [
  rowid: number,
  seq: number,
  rawAmount: number,
  amountPerEp: number,
  points: number,
  awardedAt: number,
  perTx: number,
  perPartnerDay: number,
  perUserDay: number,
  partnerDayTotal: number,
  userDayTotal: number,
  note: string | null,
  meta: string | null,
  salt: string | null,
  commitment: Uint8Array | null,
  texts: string,
]

/** Null where a text has a separator of its own, which no award has. */
function entryOfTexts(row: StoredRow): Entry | null {
  const texts = row[15].split(separator)
  if (texts.length !== 6) return null
  return {
    partnerId: texts[0]!,
    tenantId: texts[1]!,
    seq: row[1],
    epTransactionId: texts[2]!,
    orderId: texts[3]!,
    userEmail: texts[4]!,
    note: row[11],
    meta: row[12],
    salt: row[13] === null ? null : Buffer.from(row[13], 'hex'),
    commitment: row[14],
    rawAmount: row[2],
    amountPerEp: row[3],
    points: row[4],
    awardedAt: row[5],
    caps: { perTx: row[6], perPartnerDay: row[7], perUserDay: row[8] },
    partnerDayTotal: row[9],
    userDayTotal: row[10],
    hash: Buffer.from(texts[5]!, 'hex'),
  }
}
