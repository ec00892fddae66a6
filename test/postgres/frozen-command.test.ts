import { equal, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { suspendPartner } from '../../src/partners/set-partner-status.ts'
import { inTransaction, openPool } from '../../src/stores/postgres/database.ts'
import { urlOf } from '../support/database-sessions.ts'
import { startService } from '../support/service.ts'

test('a command that stands still in the middle of its change loses it, and the next change is made', async (t) => {
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
