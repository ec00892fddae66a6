import { Damaged } from '../../ledger/faults.ts'
import type { UserDay } from '../../rules/decide-batch.ts'
import type { Entry } from '../../rules/entry.ts'
import type { Database } from './database.ts'

/**
 * The large tables, read as fast as SQLite hands them over: whole pages of arrays instead of one object after
 * another, and bytes as hexadecimal text, because a buffer of its own for each value takes longer to make.
 */
const pageSize = 500

/** Every entry, in the order of its place in the file. */
export async function* readEntriesAsStored(database: Database): AsyncGenerator<Entry[]> {
  const page = database.prepare(entriesPage)
  page.setReturnArrays(true)
  for (let from: number | bigint = rowidMin; ; ) {
    const rows = readable(() => page.all(from) as unknown as StoredEntry[])
    yield rows.map(entryOf)
    if (rows.length < pageSize) return
    from = rows.at(-1)![0] + 1
  }
}
const rowidMin = -(2n ** 63n)

const entriesPage = `
  SELECT rowid, partner_id, tenant_id, seq, ep_transaction_id, order_id, user_email, iif(salt IS NULL, NULL, hex(salt)),
    iif(commitment IS NULL, NULL, hex(commitment)), raw_amount, amount_per_ep, points, note, meta, awarded_at,
    per_tx, per_partner_day, per_user_day, partner_day_total, user_day_total, hex(hash)
  FROM entries WHERE rowid >= ? ORDER BY rowid LIMIT ${pageSize}`

type StoredEntry = [
  rowid: number,
  partnerId: string,
  tenantId: string,
  seq: number,
  epTransactionId: string,
  orderId: string,
  userEmail: string,
  salt: string | null,
  commitment: string | null,
  rawAmount: number,
  amountPerEp: number,
  points: number,
  note: string | null,
  meta: string | null,
  awardedAt: number,
  perTx: number,
  perPartnerDay: number,
  perUserDay: number,
  partnerDayTotal: number,
  userDayTotal: number,
  hash: string,
]

function entryOf(row: StoredEntry): Entry {
  return {
    partnerId: row[1],
    tenantId: row[2],
    seq: row[3],
    epTransactionId: row[4],
    orderId: row[5],
    userEmail: row[6],
    salt: row[7] === null ? null : Buffer.from(row[7], 'hex'),
    commitment: row[8] === null ? null : Buffer.from(row[8], 'hex'),
    rawAmount: row[9],
    amountPerEp: row[10],
    points: row[11],
    note: row[12],
    meta: row[13],
    awardedAt: row[14],
    caps: { perTx: row[15], perPartnerDay: row[16], perUserDay: row[17] },
    partnerDayTotal: row[18],
    userDayTotal: row[19],
    hash: Buffer.from(row[20], 'hex'),
  }
}

/** Every counter, ordered by tenant, user, day. */
export async function* readUserDaysAsStored(database: Database): AsyncGenerator<UserDay[]> {
  const page = database.prepare(userDaysPage)
  page.setReturnArrays(true)
  let count = 0
  for (let after: StoredUserDay = ['', '', -1, 0]; ; ) {
    const rows = readable(() => page.all(...after.slice(0, 3)) as unknown as StoredUserDay[])
    count += rows.length
    yield rows.map(([tenantId, userEmail, day, points]) => ({ tenantId, userEmail, day, points }))
    if (rows.length < pageSize) break
    after = rows.at(-1)!
  }
  // Of two rows with one key, a page that begins between them would have left one out.
  if (count !== database.prepare('SELECT count(*) AS count FROM user_days').get()!.count) {
    throw new Damaged('user_days has two rows of one user and day')
  }
}

const userDaysPage = `
  SELECT tenant_id, user_email, day, points FROM user_days
  WHERE (tenant_id, user_email, day) > (?, ?, ?) ORDER BY tenant_id, user_email, day LIMIT ${pageSize}`

type StoredUserDay = [tenantId: string, userEmail: string, day: number, points: number]

/** An integer that no award can have does not fit into a number. */
function readable<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof RangeError ? new Damaged(`a row cannot be read: ${error.message}`) : error
  }
}
