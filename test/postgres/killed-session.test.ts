import { equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { anAwardBody, send } from '../support/client.ts'
import { killSessions, lockWaits, openSession, urlOf } from '../support/database-sessions.ts'
import { runSql } from '../support/fresh-database.ts'
import { assertUnavailable } from '../support/problem-assertions.ts'
import { startService } from '../support/service.ts'

test('when the database ends our sessions', async (t) => {
  const service = await startService(t)
  const url = urlOf(service)
  const { acme } = service
  await acme.award()

  await t.test('while they are idle, no request fails', async () => {
    for (let round = 0; round < 3; round++) {
      ok((await killSessions(url)) > 0)
      equal((await acme.award()).status, 202)
      equal((await acme.history('t1')).status, 200)
      equal((await send(`${service.url}/readyz`)).status, 200)
    }
  })

  await t.test('before COMMIT, the award is retried and credited, once', async (t) => {
    const order = anAwardBody()
    const other = await openSession(t, url)
    await other.query('BEGIN; SELECT * FROM accounts FOR UPDATE')
    const award = acme.award(order)
    await lockWaits(url)
    equal(await killSessions(url, `wait_event_type = 'Lock'`), 1)
    await lockWaits(url)
    await other.query('ROLLBACK')
    equal((await award).status, 202)
    equal((await acme.award(order)).body.code, 'DUPLICATE')
  })

  await t.test(
    'during COMMIT, the award is 503, is not retried by us, and its replay is credited',
    async (t) => {
      await runSql(
        url,
        `CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NULL; END $$;
       CREATE CONSTRAINT TRIGGER waits AFTER INSERT ON entries
         DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION wait()`,
      )
      const order = anAwardBody()
      const other = await openSession(t, url)
      await other.query('SELECT pg_advisory_lock(1)')
      const before = await service.dump()
      const award = acme.award(order)
      await lockWaits(url)
      equal(await killSessions(url, `query = 'COMMIT' AND state = 'active'`), 1)
      assertUnavailable(await award)
      await lockWaits(url, 0)
      equal(await service.dump(), before)
      await other.query('SELECT pg_advisory_unlock(1)')
      equal((await acme.award(order)).status, 202)
      equal((await acme.award(order)).body.code, 'DUPLICATE')
      await runSql(url, 'DROP TRIGGER waits ON entries; DROP FUNCTION wait')
    },
  )

  await t.test('afterwards the ledger is sound', async () => {
    const { sound, fault } = await service.verify()
    equal(sound, true, fault ?? '')
  })
})
