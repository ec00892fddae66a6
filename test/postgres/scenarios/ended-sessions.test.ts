import { deepEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer } from '../../support/client.ts'
import { killSessions, openSession } from '../../support/database-sessions.ts'
import { freshPostgres } from '../../support/fresh-database.ts'
import { startService } from '../../support/service.ts'

test('while sessions that wait for a locked account are ended again and again, awards for other accounts are credited', async (t) => {
  const database = await freshPostgres()
  const { acme, globex } = await startService(t, { DATABASE_URL: database.url }, { nodes: 1, database })
  await Promise.all([acme.award(), globex.award()])
  const operator = await openSession(t, database.url)
  await operator.query(`BEGIN; SELECT FROM accounts WHERE partner_id = 'acme' FOR UPDATE`)

  let ended = 0
  const locked: Promise<Answer>[] = []
  const others: Promise<Answer>[] = []
  for (let round = 0; round < 30; round++) {
    locked.push(acme.award())
    others.push(globex.award())
    await sleep(100)
    if (round % 3 === 2) ended += await killSessions(database.url, `wait_event_type = 'Lock'`)
  }
  await operator.query('ROLLBACK')
  await Promise.all(locked)
  const statuses = (await Promise.all(others)).map(({ status }) => status)
  deepEqual(new Set(statuses), new Set([202]))
  ok(ended > 3, 'sessions were ended while they waited')
})
