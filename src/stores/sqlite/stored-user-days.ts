import type { Days } from '../../proof/ledger-snapshot.ts'
import { malformed } from '../../proof/fast/stored-entry.ts'
import type { UserDay } from '../../rules/decide-batch.ts'
import type { Database } from './database.ts'
import { isNumber, isText, readable } from './stored-values.ts'

const pageSize = 500

/**
 * The counters of these days, ordered by tenant, user, day; handed over as the entries are (see stored-entries). Of two
 * rows with one key, a page that begins between them leaves one out: a caller that must notice compares the number of rows.
 */
export async function* readStoredUserDays(
  database: Database,
  { from = 0, before = Number.MAX_SAFE_INTEGER }: Days,
): AsyncGenerator<UserDay[]> {
  let chunk: UserDay[] = []
  database.function('take_user_day', (tenantId, userEmail, day, points) => {
    if (!(isText(tenantId) && isText(userEmail) && isNumber(day) && isNumber(points))) throw malformed()
    chunk.push({ tenantId, userEmail, day, points })
    return null
  })
  // The days first: SQLite compares in this order, and most counters may be of other days.
  const page = database.prepare(`
    SELECT count(take_user_day(tenant_id, user_email, day, points))
    FROM (SELECT * FROM user_days WHERE day >= ? AND day < ? AND (tenant_id, user_email, day) > (?, ?, ?)
          ORDER BY tenant_id, user_email, day LIMIT ${pageSize})`)
  for (let last = beforeAll; ; last = chunk.at(-1)!) {
    chunk = []
    readable(() => page.get(from, before, last.tenantId, last.userEmail, last.day))
    if (chunk.length === 0) return
    yield chunk
  }
}

const beforeAll: UserDay = { tenantId: '', userEmail: '', day: -1, points: 0 }
