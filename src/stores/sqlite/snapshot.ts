import { Damaged } from '../../ledger/faults.ts'
import type { LedgerSnapshot } from '../../ledger/ledger-snapshot.ts'
import { type Database, openDatabase, type Row } from './database.ts'
import { entryFromRow } from './entry-row.ts'

const chunkSize = 1000

/** One read transaction on a connection of its own: a running server goes on writing, unseen from here. */
export function openSnapshot(path: string): LedgerSnapshot {
  const database = openDatabase(path, { readOnly: true })
  database.exec('BEGIN')
  return {
    entryCount: async () => database.prepare('SELECT total(seq) AS n FROM accounts').get()!.n as number,

    accounts: () =>
      chunks(database, 'SELECT * FROM accounts ORDER BY partner_id, tenant_id', (row) => ({
        partnerId: row.partner_id as string,
        tenantId: row.tenant_id as string,
        seq: row.seq as number,
        headHash: row.head_hash as Uint8Array,
        awardedAt: row.awarded_at as number,
        day: row.day as number,
        dayPoints: row.day_points as number,
      })),

    entries: () =>
      chunks(database, 'SELECT * FROM entries ORDER BY partner_id, tenant_id, seq', entryFromRow),

    userAwards: () =>
      chunks(
        database,
        `SELECT tenant_id, user_email, ep_transaction_id, points, user_day_total, awarded_at
         FROM entries ORDER BY tenant_id, user_email, awarded_at`,
        (row) => ({
          tenantId: row.tenant_id as string,
          userEmail: row.user_email as string,
          epTransactionId: row.ep_transaction_id as string,
          points: row.points as number,
          userDayTotal: row.user_day_total as number,
          awardedAt: row.awarded_at as number,
        }),
      ),

    userDays: () =>
      chunks(database, 'SELECT * FROM user_days ORDER BY tenant_id, user_email, day', (row) => ({
        tenantId: row.tenant_id as string,
        userEmail: row.user_email as string,
        day: row.day as number,
        points: row.points as number,
      })),

    async orderCreditedTwice() {
      const row = database
        .prepare(
          'SELECT partner_id, order_id FROM entries GROUP BY partner_id, order_id HAVING count(*) > 1 LIMIT 1',
        )
        .get()
      return row === undefined
        ? null
        : { partnerId: row.partner_id as string, orderId: row.order_id as string }
    },

    close: async () => database.close(),
  }
}

async function* chunks<T>(database: Database, sql: string, read: (row: Row) => T): AsyncGenerator<T[]> {
  let chunk: T[] = []
  let count = 0
  try {
    for (const row of database.prepare(sql).iterate()) {
      count++
      chunk.push(read(row))
      if (chunk.length === chunkSize) {
        yield chunk
        chunk = []
      }
    }
  } catch (error) {
    // An integer that no award can have does not fit into a number.
    if (!(error instanceof RangeError)) throw error
    throw new Damaged(`row ${count + 1} of ${sql} cannot be read: ${error.message}`, { cause: error })
  }
  yield chunk
}
