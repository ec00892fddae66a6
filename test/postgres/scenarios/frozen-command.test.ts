import { equal, ok, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { suspendPartner } from '../../../src/partners/set-partner-status.ts'
import { isNoAnswer } from '../../../src/stores/open.ts'
import { inTransaction, openPool } from '../../../src/stores/postgres/database.ts'
import { openPostgres } from '../../../src/stores/postgres/open.ts'
import { urlOf } from '../../support/database-sessions.ts'
import { freshPostgres, runSql } from '../../support/fresh-database.ts'
import { startService } from '../../support/service.ts'

test('a command that hangs in the middle of its change loses it, and the next change is made', async (t) => {
  const service = await startService(t, {}, { nodes: 1 })
  const pool = openPool(urlOf(service), { connectionsMax: 1 })
  t.after(() => pool.end())
  const holdsTheTurn = Promise.withResolvers<void>()
  const goesOn = Promise.withResolvers<void>()
  const frozen = inTransaction(
    pool,
    async (client) => {
      await client.query('UPDATE settings_version SET version = version + 1')
      holdsTheTurn.resolve()
      await goesOn.promise
    },
    { idleMaxMs: 200 },
  )
  await holdsTheTurn.promise
  const { status } = await service.operate((operator) => suspendPartner(operator, 'acme'))
  equal(status, 'suspended')
  goesOn.resolve()
  await rejects(frozen, /did not confirm the change/)
})

test('a command does not wait for good for a database that is frozen', async (t) => {
  const { url, remove } = await freshPostgres()
  t.after(remove)
  const store = await openPostgres(url, { answerMaxMs: 500 })
  const ours = "datname = current_database() AND application_name = 'partner-credit'"
  const [{ pid }] = await runSql(url, `SELECT pid FROM pg_stat_activity WHERE ${ours}`)
  process.kill(pid, 'SIGSTOP')
  try {
    await rejects(store.partners.partners(), (error) => {
      ok(isNoAnswer(error), String(error))
      return true
    })
    await store.close()
  } finally {
    process.kill(pid, 'SIGCONT')
  }
})
