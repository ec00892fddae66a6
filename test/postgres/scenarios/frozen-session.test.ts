import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { Operator } from '../../../src/partners/operator.ts'
import { revokeKey } from '../../../src/partners/revoke-key.ts'
import { openPostgres } from '../../../src/stores/postgres/open.ts'
import { send } from '../../support/client.ts'
import { urlOf } from '../../support/database-sessions.ts'
import { eventually } from '../../support/eventually.ts'
import { runSql } from '../../support/fresh-database.ts'
import { databaseOfOwnRole } from '../../support/own-role.ts'
import { startService } from '../../support/service.ts'

test('a key is revoked while the key directory', async (t) => {
  const { database, role, url } = await databaseOfOwnRole()
  const service = await startService(t, { DATABASE_URL: url }, { nodes: 1, database })

  /** On a connection that is always available. */
  async function operate(work: (operator: Operator) => Promise<unknown>): Promise<void> {
    const store = await openPostgres(database.url)
    try {
      await work({ store: store.partners, actor: 'test', now: service.clock.now() })
    } finally {
      await store.close()
    }
  }
  async function revokeKeyOf(partnerId: string): Promise<void> {
    const [{ key_id }] = await runSql(
      database.url,
      `SELECT key_id FROM keys WHERE partner_id = '${partnerId}'`,
    )
    await operate((operator) => revokeKey(operator, key_id))
  }
  const directorySession = `
    FROM pg_stat_activity WHERE usename = '${role}' AND query LIKE '%FROM settings_version LEFT JOIN audit_head%'`

  await t.test('has a connection that hangs: another one is used', async (t) => {
    equal((await service.globex.award()).status, 202)
    let pid = 0
    await eventually('the key directory has a session', async () => {
      const [session] = await runSql(database.url, `SELECT pid ${directorySession}`)
      pid = session?.pid ?? 0
      return pid > 0
    })
    process.kill(pid, 'SIGSTOP')
    t.after(() => process.kill(pid, 'SIGCONT'))
    await revokeKeyOf('globex')
    const refused = async () => (await service.globex.history('t1')).status === 401
    await eventually('the key is refused', refused, { withinMs: 5_000 })
  })

  await t.test('gets no connection: it reads on those of the awards', async () => {
    equal((await service.acme.award()).status, 202)
    const found = async (select: string) =>
      (await runSql(database.url, `${select} ${directorySession}`)).length > 0
    await eventually('the key directory has a session', () => found('SELECT 1'))
    await runSql(database.url, `ALTER ROLE ${role} CONNECTION LIMIT 1`)
    await eventually('that session is ended', () => found('SELECT pg_terminate_backend(pid)'))
    await revokeKeyOf('acme')
    await eventually('the key is refused', async () => (await service.acme.award()).status === 401)
  })
})

test('a session of /readyz that hangs is replaced by another one, while awards continue', async (t) => {
  const service = await startService(t, {}, { nodes: 1 })
  const isReady = async () => (await send(`${service.url}/readyz`)).status === 200
  await eventually('ready', isReady)
  // Nothing was awarded yet: the only session that has committed last is the one that /readyz used.
  const sessions = await runSql(
    urlOf(service),
    `SELECT pid FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'partner-credit' AND query = 'COMMIT'`,
  )
  equal(sessions.length, 1)
  const [{ pid }] = sessions
  process.kill(pid, 'SIGSTOP')
  try {
    await eventually('noticed', async () => !(await isReady()))
    equal((await service.acme.award()).status, 202)
    await eventually('ready again', isReady, { withinMs: 6_000 })
  } finally {
    process.kill(pid, 'SIGCONT')
  }
})
