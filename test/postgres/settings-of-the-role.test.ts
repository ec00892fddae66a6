import { deepEqual, equal, match, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { openKeyDirectory } from '../../src/access/key-directory.ts'
import { systemClock } from '../../src/clock.ts'
import { Unavailable } from '../../src/ledger/errors.ts'
import { rotateKey } from '../../src/partners/create-key.ts'
import { servePostgres } from '../../src/stores/postgres/open.ts'
import { openOperatorSessions, openStore } from '../../src/stores/open.ts'
import { killSessions } from '../support/database-sessions.ts'
import { freshPostgres, runSql } from '../support/fresh-database.ts'
import { send } from '../support/client.ts'
import { aMasterKey, makePartner } from '../support/operators.ts'
import { startService } from '../support/service.ts'
import { anOrder } from '../support/sqlite-ledger.ts'
import { aStoreLedger } from '../support/store-ledger.ts'
import { aNoon } from '../support/test-clock.ts'

async function aLedgerWith(t: Parameters<typeof aStoreLedger>[0], setting: string) {
  const ledger = await aStoreLedger(t)
  const url = ledger.database.kind === 'postgres' ? ledger.database.url : ''
  await ledger.store.ledger.award(anOrder('A1'))
  await ledger.raw.rows(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET ${setting}`)
  return { ...ledger, url }
}

/** Without these, an award would be stored with other values, or sessions that wait for the standby are invisible. */
for (const setting of ['array_nulls', 'track_activities']) {
  test(`a server refuses to start with ${setting} off`, async (t) => {
    const { url } = await aLedgerWith(t, `${setting} = off`)
    const start = servePostgres(url, { caps: {}, clock: systemClock, warn: () => {} })
    await rejects(start, new RegExp(`${setting} is off and must be on`))
  })
}

test('with array_nulls off in the sessions of a running server, an award without a note has none', async (t) => {
  const { store, operator, url, verify } = await aLedgerWith(t, 'array_nulls = off')
  await killSessions(url) // the next ones have the setting
  const order = anOrder('A2', { note: null, meta: null })
  equal((await store.ledger.award(order)).kind, 'credited')
  equal((await store.ledger.award(order)).kind, 'duplicate')
  await makePartner(operator, { partnerId: 'initech' })
  equal((await verify()).fault, null)
})

test('a ledger is sound however PostgreSQL writes its identifiers', async (t) => {
  const { verify } = await aLedgerWith(t, 'quote_all_identifiers = on')
  const { sound, fault } = await verify()
  equal(fault, null)
  equal(sound, true)
})

test('a ledger on which PostgreSQL fires no triggers is not sound', async (t) => {
  const { raw, url, verify } = await aLedgerWith(t, 'session_replication_role = replica')
  const entries = 'UPDATE entries SET points = points RETURNING seq'
  equal((await runSql(url, entries)).length, 1, 'anybody can change them now')
  const { sound, fault } = await verify()
  equal(sound, false)
  match(fault!, /session_replication_role is replica/)

  // One that fires in every session needs no such setting.
  await raw.run(`
    ALTER TABLE entries ENABLE ALWAYS TRIGGER entries_are_never_changed;
    ALTER TABLE entries ENABLE ALWAYS TRIGGER entries_are_never_emptied;
    ALTER TABLE audit ENABLE ALWAYS TRIGGER audit_is_never_changed;
    ALTER TABLE audit ENABLE ALWAYS TRIGGER audit_is_never_emptied;
    ALTER TABLE tenants ENABLE ALWAYS TRIGGER tenant_mode_is_never_changed`)
  await rejects(runSql(url, entries), /append-only/)
  equal((await verify()).fault, null)
})

test('the clocks are compared to the millisecond however few digits PostgreSQL writes', async (t) => {
  const { url } = await aLedgerWith(t, 'extra_float_digits = -15')
  const warnings: string[] = []
  const warn = (message: string) => void warnings.push(message)
  const store = await servePostgres(url, { caps: {}, clock: systemClock, warn })
  await store.close()
  deepEqual(
    warnings.filter((warning) => /clock/.test(warning)),
    [],
  )
})

test('a key ends at its time, and a request rate is exact, however few digits PostgreSQL writes', async (t) => {
  const { database, operator, raw } = await aLedgerWith(t, 'extra_float_digits = -15')
  const { apiKey } = await makePartner(operator, { partnerId: 'initech' })
  await raw.run("UPDATE partners SET requests_per_second = 149 WHERE partner_id = 'initech'")
  const hourMs = 3_600_000
  await rotateKey(operator, 'initech', hourMs, aMasterKey)
  const store = await openStore(database)
  t.after(() => store.close())
  const keys = await openKeyDirectory(store.partners, aMasterKey, () => {})
  t.after(() => keys.close())
  const found = [aNoon + hourMs - 1, aNoon + hourMs].map((now) => keys.find(apiKey, now).caller())
  deepEqual(
    found.map((caller) => caller?.requestsPerSecond),
    [149, undefined],
  )
})

test('a limit of idle transactions that ends each at once ends none of ours', async (t) => {
  const database = await freshPostgres()
  const { url } = database
  const name = new URL(url).pathname.slice(1)
  await runSql(url, `ALTER DATABASE ${name} SET idle_in_transaction_session_timeout = 1`)
  const service = await startService(t, {}, { nodes: 1, database })
  // Without a recent award, it tries a commit.
  equal((await send(`${service.operatorUrl}/readyz`)).status, 200)
  equal((await service.acme.award()).status, 202)
  const sessions = await openOperatorSessions({ kind: 'postgres', url }, () => {})
  t.after(() => sessions.close())
  equal(await sessions.endAll('nobody'), 0)
  equal((await service.verify()).sound, true)
})

test('a session that the database has ended because it was idle costs no award', async (t) => {
  const { store, url } = await aLedgerWith(t, 'idle_session_timeout = 200')
  await killSessions(url) // the next ones have the setting
  // A process that was held up finds the session in its pool, and the news of its end only when it reads.
  const holdUp = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
  equal((await store.ledger.award(anOrder('A2'))).kind, 'credited')
  holdUp()
  equal((await store.ledger.award(anOrder('A3'))).kind, 'credited')
  await store.operators.operators()
  holdUp()
  await rejects(store.operators.operators(), Unavailable)
})

test('a server refuses to start as a role that cannot see what its own sessions wait for', async (t) => {
  const database = await freshPostgres()
  const [login, acts] = ['login', 'acts'].map((role) => `${new URL(database.url).pathname.slice(1)}_${role}`)
  await runSql(
    database.url,
    `CREATE ROLE ${acts}; CREATE ROLE ${login} LOGIN PASSWORD 'test' IN ROLE ${acts};
     ALTER ROLE ${login} SET role = ${acts}`,
  )
  t.after(async () => {
    await runSql(database.url, `DROP ROLE ${login}; DROP ROLE ${acts}`)
    await database.remove()
  })
  const url = Object.assign(new URL(database.url), { username: login, password: 'test' }).href
  const start = () => servePostgres(url, { caps: {}, clock: systemClock, warn: () => {} })
  await rejects(start(), /cannot see them in pg_stat_activity: GRANT pg_read_all_stats to it/)
  await runSql(database.url, `GRANT pg_read_all_stats TO ${acts}`)
  await rejects(start(), /the role lacks the privilege .*INSERT on entries, SELECT on entries, /)
})
