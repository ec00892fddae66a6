import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { openSession, urlOf } from '../support/database-sessions.ts'
import { runSql } from '../support/fresh-database.ts'
import { startService } from '../support/service.ts'

test('while somebody holds a lock on the audit trail, awards go on: nobody can change a setting meanwhile', async (t) => {
  const service = await startService(t)
  const other = await openSession(t, urlOf(service))
  await other.query('BEGIN; LOCK TABLE audit IN ACCESS EXCLUSIVE MODE')
  for (let second = 1; second <= 3; second++) {
    service.clock.advance(2_000)
    equal((await service.acme.award()).status, 202)
  }
  await other.query('ROLLBACK')
})

test('after the version of the settings was deleted, the last known keys stay in use', async (t) => {
  const service = await startService(t)
  await runSql(urlOf(service), 'DELETE FROM settings_version')
  for (let second = 1; second <= 3; second++) {
    service.clock.advance(2_000)
    equal((await service.acme.award()).status, 202)
  }
})
