import { Damaged } from '../../ledger/faults.ts'
import type { LedgerSnapshot, UserAward } from '../../ledger/ledger-snapshot.ts'
import type { AccountId } from '../../rules/cursor.ts'
import type { UserDay } from '../../rules/decide-batch.ts'
import type { Account } from '../../rules/entry.ts'
import { columns } from '../columns.ts'
import { type EntryRow, entryOf, entrySelection } from '../entry-row.ts'
import { type Database, openDatabase } from './database.ts'

const chunkSize = 1000

/** One read transaction on a connection of its own: a running server goes on writing, unseen from here. */
export function openSnapshot(path: string): LedgerSnapshot {
  const database = openDatabase(path, { readOnly: true })
  database.exec('BEGIN')
  return {
    entryCount: async () => database.prepare('SELECT total(seq) AS n FROM accounts').get()!.n as number,

    accounts: () =>
      chunks<AccountId & Account>(
        database,
        `SELECT ${columns<AccountId & Account>('partnerId', 'tenantId', 'seq', 'headHash', 'awardedAt', 'day', 'dayPoints')}
         FROM accounts ORDER BY partner_id, tenant_id`,
      ),

    async *entries() {
      const rows = chunks<EntryRow>(
        database,
        `SELECT ${entrySelection} FROM entries ORDER BY partner_id, tenant_id, seq`,
      )
      for await (const chunk of rows) yield chunk.map(entryOf)
    },

    userAwards: () =>
      chunks<UserAward>(
        database,
        `SELECT ${columns<UserAward>('tenantId', 'userEmail', 'epTransactionId', 'points', 'userDayTotal', 'awardedAt')}
         FROM entries ORDER BY tenant_id, user_email, awarded_at`,
      ),

    userDays: () =>
      chunks<UserDay>(
        database,
        `SELECT ${columns<UserDay>('tenantId', 'userEmail', 'day', 'points')}
         FROM user_days ORDER BY tenant_id, user_email, day`,
      ),

    async orderCreditedTwice() {
      const row = database
        .prepare(
          `SELECT ${columns<OrderId>('partnerId', 'orderId')}
           FROM entries GROUP BY partner_id, order_id HAVING count(*) > 1 LIMIT 1`,
        )
        .get()
      return (row as OrderId | undefined) ?? null
    },

    close: async () => database.close(),
  }
}

type OrderId = { partnerId: string; orderId: string }

async function* chunks<T>(database: Database, sql: string): AsyncGenerator<T[]> {
  let chunk: T[] = []
  let count = 0
  try {
    for (const row of database.prepare(sql).iterate()) {
      count++
      chunk.push(row as T)
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
