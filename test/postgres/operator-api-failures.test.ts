import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openOperatorSessions } from '../../src/stores/open.ts'
import { urlOf } from '../support/database-sessions.ts'
import { runSql } from '../support/fresh-database.ts'
import { anApi } from '../support/operator-api.ts'
import { startService } from '../support/service.ts'

const suspend = { method: 'POST', path: '/partners/acme/suspend', body: { reason: 'r' } }

/** The database ends a change of settings with this SQLSTATE. */
const ending = (sqlState: string) => `
  CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'ended' USING ERRCODE = '${sqlState}'; END $$;
  CREATE TRIGGER fails BEFORE UPDATE ON settings_version FOR EACH ROW EXECUTE FUNCTION fail()`
const endingNoMore = 'DROP TRIGGER fails ON settings_version; DROP FUNCTION fail'

test('a change that the database cannot make now is 503, with its reason in the log, and can be made afterwards', async (t) => {
  const service = await startService(t)
  const api = await anApi(t, service)
  // Of a session that was ended, a lock or a statement that took too long for the role, and too few connections.
  for (const [index, sqlState] of ['57P01', '55P03', '57014', '53300'].entries()) {
    await runSql(urlOf(service), ending(sqlState))
    const { status, body } = await api.as('admin', suspend)
    assert.deepEqual([status, body.code], [503, 'UNAVAILABLE'], sqlState)
    assert.equal(api.failures.length, index + 1)
    await runSql(urlOf(service), endingNoMore)
  }
  await runSql(urlOf(service), ending('23514'))
  assert.equal((await api.as('admin', suspend)).status, 500, 'what is not for now is a bug')
  await runSql(urlOf(service), endingNoMore)
  assert.equal((await api.as('admin', suspend)).status, 200)
})

test('the access log goes on where the database is a copy by logical replication, which has no state of sequences', async (t) => {
  const service = await startService(t)
  const url = urlOf(service)
  const sessions = await openOperatorSessions({ kind: 'postgres', url }, () => {})
  t.after(() => sessions.close())
  const [kind, actor, address, action, subject] = ['denied', 'a', '192.0.2.7', 'GET /x', null] as const
  const record = (requestId: string) =>
    sessions.recordAccess({ at: 1, kind, actor, address, action, subject, requestId })
  for (const requestId of ['1', '2', '3']) await record(requestId)
  await runSql(url, 'ALTER TABLE access_log ALTER access_id RESTART WITH 1')
  await Promise.all([record('4'), record('5')])
  const rows = await sessions.accessLog({ limit: 10 })
  assert.deepEqual(new Set(rows.map(({ requestId }) => requestId)), new Set(['1', '2', '3', '4', '5']))
})
