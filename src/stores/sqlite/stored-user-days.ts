import { Damaged } from '../../ledger/faults.ts'
import { malformed } from '../../proof/stored-entry.ts'
import type { UserDay } from '../../rules/decide-batch.ts'
import type { Database } from './database.ts'
import { isNumber, isText, readable } from './stored-values.ts'

const pageSize = 500

/** Every counter, ordered by tenant, user, day; handed over as the entries are (see stored-entries). */
export async function* readStoredUserDays(database: Database): AsyncGenerator<UserDay[]> {
  let chunk: UserDay[] = []
  database.function('take_user_day', (tenantId, userEmail, day, points) => {
    if (!(isText(tenantId) && isText(userEmail) && isNumber(day) && isNumber(points))) throw malformed()
    chunk.push({ tenantId, userEmail, day, points })
    return null
  })
  const page = database.prepare(`
    SELECT count(take_user_day(tenant_id, user_email, day, points))
    FROM (SELECT * FROM user_days WHERE (tenant_id, user_email, day) > (?, ?, ?)
          ORDER BY tenant_id, user_email, day LIMIT ${pageSize})`)
  const count = database.prepare('SELECT count(*) AS count FROM user_days').get()!.count as number
  let read = 0
  for (let last = beforeAll; read < count; last = chunk.at(-1)!) {
    chunk = []
    readable(() => page.get(last.tenantId, last.userEmail, last.day))
    // Of two rows with one key, a page that begins between them leaves one out.
    if (chunk.length === 0) throw new Damaged('user_days has two rows of one user and day')
    yield chunk
    read += chunk.length
  }
}

const beforeAll: UserDay = { tenantId: '', userEmail: '', day: -1, points: 0 }
