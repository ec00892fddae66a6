import { equal, match } from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, rmdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'node:test'
import { anAwardBody, send } from '../../support/client.ts'
import { killSessions, openSession } from '../../support/database-sessions.ts'
import { eventually } from '../../support/eventually.ts'
import { freshPostgres, runSql } from '../../support/fresh-database.ts'
import { startOwnPostgres } from '../../support/own-postgres.ts'
import { assertUnavailable } from '../../support/problem-assertions.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { startService } from '../../support/service.ts'
import { startSmallNode } from '../../support/small-node.ts'

/** The result of a check counts for a second. */
const noLongerValid = () => sleep(1_100)

/** A commit without rows succeeds in all of these cases. */
test('a table that awards use is locked: not ready, with the reason, until it is free', async (t) => {
  const service = await startService(t, {}, { nodes: 1 })
  const readyz = () => send(`${service.operatorUrl}/readyz`)
  equal((await service.acme.award()).status, 202)
  const { url } = service.config.database as { url: string }
  const share = ['accounts', 'entries', 'user_days'].map((table) => `${table} IN SHARE MODE`) // as CREATE INDEX does
  const exclusive = ['partners', 'grants', 'tenants'].map((table) => `${table} IN ACCESS EXCLUSIVE MODE`)
  for (const lock of [...share, ...exclusive]) {
    const index = await openSession(t, url)
    await index.query(`BEGIN; LOCK TABLE ${lock}`)
    service.clock.advance(2_000) // the last award does not count any more
    await noLongerValid()
    // For a moment, an award waits. On a busy machine a check may take too long; the service's clock stands still meanwhile.
    await eventually('ready while an award waits', async () => (await readyz()).status === 200)
    await eventually('not ready', async () => {
      service.clock.advance(2_000)
      return (await readyz()).status === 503
    })
    const notReady = await readyz()
    assertUnavailable(notReady, 'operator')
    match(notReady.body.detail, /another session has locked a table that awards use, .*: see pg_locks/)
    await index.query('ROLLBACK')
    await eventually('ready again', async () => (await readyz()).status === 200)
    equal((await service.acme.award()).status, 202)
  }
})

test('locks that awards outwait do not make a busy server not ready, however many there were', async (t) => {
  const service = await startService(t, {}, { nodes: 1 })
  const { url } = service.config.database as { url: string }
  for (let times = 0; times < 3; times++) {
    equal((await service.acme.award()).status, 202)
    equal((await send(`${service.operatorUrl}/readyz`)).status, 200)
    const index = await openSession(t, url)
    await index.query('BEGIN; LOCK TABLE entries IN SHARE MODE')
    service.clock.advance(3_000)
    await noLongerValid()
    // On a busy machine a check may take too long.
    await eventually('ready', async () => (await send(`${service.operatorUrl}/readyz`)).status === 200)
    await index.query('ROLLBACK')
  }
})

test('the disk of the tables is full, and that of the write-ahead log is not: not ready, with the reason, until there is room', async (t) => {
  const folder = mkdtempSync(join(scratchFolder(), 'partner-credit-small-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    rmdirSync(folder)
    return t.skip('this user may not mount a small disk')
  }
  // When the database has ended: what is registered now would run before its end.
  t.after(() =>
    t.after(() => {
      execFileSync('umount', [folder])
      rmdirSync(folder)
    }),
  )
  const postgres = await startOwnPostgres(t)
  const { uid, gid } = statSync(postgres.folder)
  const place = join(folder, 'tables')
  mkdirSync(place)
  for (const path of [folder, place]) chownSync(path, uid, gid)
  const database = await freshPostgres(postgres.url)
  const { acme, operatorUrl } = await startSmallNode(t, database.url, {
    deadlineMs: 4_000,
    answerMaxMs: 6_000,
  })
  await runSql(database.url, `CREATE TABLESPACE small LOCATION '${place}'`)
  await runSql(database.url, 'ALTER TABLE entries SET TABLESPACE small')
  await runSql(database.url, 'CREATE TABLE filler (text text) TABLESPACE small')
  const readyz = () => send(`${operatorUrl}/readyz`)
  const award = async () => (await acme.award()).status
  const known = anAwardBody()
  equal((await acme.award(known)).status, 202)
  const fill = "INSERT INTO filler SELECT repeat('x', 1000) FROM generate_series(1, 2000)"
  await eventually('it is full', () =>
    runSql(database.url, fill).then(
      () => false,
      () => true,
    ),
  )
  await eventually('awards fail', async () => (await award()) === 503)
  equal((await acme.award(known)).status, 200, 'a replay needs no room')
  for (let times = 0; times < 3; times++) equal(await award(), 503)
  await noLongerValid()
  for (let times = 0; times < 3; times++) {
    const notReady = await readyz()
    assertUnavailable(notReady, 'operator')
    match(notReady.body.detail, /awards fail: the database cannot write them: could not extend file/)
  }
  await runSql(database.url, 'DROP TABLE filler; CHECKPOINT')
  await eventually('awards succeed', async () => (await award()) === 202)
  await eventually('ready', async () => (await readyz()).status === 200)
})

test('somebody has changed a table so that awards fail, and no probe does: not ready after three in a row, with the reason, until one is credited', async (t) => {
  const service = await startService(t, {}, { nodes: 1 })
  const { url } = service.config.database as { url: string }
  const readyz = () => send(`${service.operatorUrl}/readyz`)
  const body = (text: string) =>
    `CREATE OR REPLACE FUNCTION other() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${text} END $$;
     CREATE TRIGGER other BEFORE INSERT ON entries FOR EACH ROW EXECUTE FUNCTION other()`
  const dropTrigger = 'DROP TRIGGER other ON entries'
  for (const [change, repair, words] of [
    [
      'ALTER TABLE entries ADD CONSTRAINT other CHECK (false) NOT VALID',
      'ALTER TABLE entries DROP CONSTRAINT other',
      /unexpected error: .* violates check constraint "other"/,
    ],
    [body("RAISE EXCEPTION 'not today';"), dropTrigger, /unexpected error: not today/],
    [body('RETURN NULL;'), dropTrigger, /has not written every row of the awards/],
    [
      'ALTER TABLE entries RENAME note TO other',
      'ALTER TABLE entries RENAME other TO note',
      /column "?.*note/,
    ],
  ] as const) {
    await eventually('credited', async () => (await service.acme.award()).status === 202)
    await runSql(url, change)
    for (let times = 0; times < 3; times++) match(`${(await service.acme.award()).status}`, /^50[03]$/)
    service.clock.advance(1_000) // so long counts one that was credited before
    await noLongerValid()
    const notReady = await readyz()
    assertUnavailable(notReady, 'operator')
    match(notReady.body.detail, words)
    await runSql(url, repair)
    await eventually('credited', async () => (await service.acme.award()).status === 202)
    await eventually('ready', async () => (await readyz()).status === 200)
  }
})

test('the database is read-only for the connections of awards, and not for that of the probe: not ready', async (t) => {
  const service = await startService(t, {}, { nodes: 1 })
  const { url } = service.config.database as { url: string }
  const readyz = () => send(`${service.operatorUrl}/readyz`)
  equal((await service.acme.award()).status, 202)
  equal((await readyz()).status, 200)
  const elsewhere = Object.assign(new URL(url), { pathname: '/postgres' }).href
  const name = new URL(url).pathname.slice(1)
  await runSql(elsewhere, `ALTER DATABASE ${name} SET default_transaction_read_only = on`)
  await killSessions(url, "query = 'COMMIT'") // the writers, and not the health connection
  await eventually('awards fail', async () => (await service.acme.award()).status === 503)
  await noLongerValid()
  const notReady = await readyz()
  assertUnavailable(notReady, 'operator')
  match(notReady.body.detail, /the database cannot be used: it is read-only/)
  await runSql(elsewhere, `ALTER DATABASE ${name} RESET default_transaction_read_only`)
  await eventually('awards succeed', async () => (await service.acme.award()).status === 202)
  await eventually('ready', async () => (await readyz()).status === 200)
})
