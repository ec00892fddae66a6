import type { UserDay } from '../../rules/decide-batch.ts'
import { columns } from '../columns.ts'
import type { Client } from './database.ts'
import { readStored } from './stored-values.ts'

const pageSize = 1000

/** Counters in the order of their key, each page by a statement of its own. */
export async function* readStoredUserDays(client: Client, where: string): AsyncGenerator<UserDay[]> {
  const sql = `
    SELECT ${columns<UserDay>('tenantId', 'userEmail', 'day', 'points')} FROM user_days
    ${where} AND (tenant_id, user_email, day) > ($1, $2, $3)
    ORDER BY tenant_id, user_email, day LIMIT ${pageSize}`
  for (let last: UserDay = { tenantId: '', userEmail: '', day: -1, points: 0 }; ; ) {
    const rows = await readStored<UserDay>(client, sql, [last.tenantId, last.userEmail, last.day])
    if (rows.length === 0) return
    last = rows.at(-1)!
    yield rows
  }
}
