import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccessEvent } from '../../src/operator/access/operator-store.ts'
import { aChange } from '../support/operators.ts'
import {
  accessTo,
  aRequest,
  anAccount,
  anOperatorStore,
  aSession,
  putAccount,
} from '../support/operator-accounts.ts'
import { type DatabaseLocation, openSnapshot, openStore } from '../../src/stores/open.ts'
import { verifyLedger } from '../../src/proof/verify.ts'
import { storeKind } from '../support/fresh-database.ts'
import { anEmptyDatabase, exportOf, importInto, withRaw } from '../support/transfers.ts'
import { aStoreLedger } from '../support/store-ledger.ts'
import { aNoon } from '../support/test-clock.ts'

const aToken = {
  tokenId: 'tok_0123456789abcdef',
  name: 'nightly report',
  tokenHash: 'f'.repeat(64),
  scopes: ['figures.read' as const, 'metrics.read' as const],
  operatorId: 'mai',
  createdAt: aNoon,
  expiresAt: aNoon + 1000,
  revokedAt: null,
}

test('accounts and tokens read back as they were set, each change with its audit row and without the hashes, and the ledger is sound', async (t) => {
  const ledger = await aStoreLedger(t)
  const store = await anOperatorStore(t, ledger)
  const mai = anAccount({ passwordHash: '$argon2id$secret', oidcSubject: 'https://id.example 7' })
  await putAccount(store, mai)
  await putAccount(store, { ...mai, status: 'disabled' })
  await store.accounts.changeToken(aToken.tokenId, aChange({ action: 'token create' }), () => aToken)
  assert.deepEqual(await store.accounts.operator('mai'), { ...mai, status: 'disabled' })
  assert.deepEqual(await store.accounts.operators(), [{ ...mai, status: 'disabled' }])
  assert.deepEqual(await store.accounts.tokens(), [aToken])
  assert.deepEqual(await store.accounts.tokenOf(aToken.tokenHash), aToken)
  assert.equal(await store.accounts.tokenOf('0'.repeat(64)), null)
  assert.equal(await store.accounts.operator('nobody'), null)
  const rows = await ledger.raw.rows(
    "SELECT before, after FROM audit WHERE subject LIKE '%or %' OR subject LIKE 'tok%'",
  )
  assert.equal(rows.length, 3)
  assert.doesNotMatch(JSON.stringify(rows), /argon|hash|secret|fffff/i)
  assert.equal((await ledger.verify()).fault, null)
})

test('verify finds an account that was made, a role that was raised and a password that was replaced by SQL', async (t) => {
  const ledger = await aStoreLedger(t)
  const store = await anOperatorStore(t, ledger)
  await putAccount(store, anAccount({ role: 'viewer', passwordHash: '$argon2id$one' }))
  const edits: [sql: string, undo: string, fault: RegExp][] = [
    [
      "INSERT INTO operators VALUES ('eve', 'admin', 'active', NULL, NULL, 0, 0)",
      "DELETE FROM operators WHERE operator_id = 'eve'",
      /operator eve was made without an audit row/,
    ],
    [
      "UPDATE operators SET role = 'admin'",
      "UPDATE operators SET role = 'viewer'",
      /operator mai was changed without an audit row/,
    ],
    [
      "UPDATE operators SET password_hash = '$argon2id$two'",
      "UPDATE operators SET password_hash = '$argon2id$one'",
      /operator mai was changed without an audit row/,
    ],
    ["DELETE FROM operators WHERE operator_id = 'mai'", '', /operator mai was removed without an audit row/],
  ]
  for (const [edit, undo, fault] of edits) {
    await ledger.raw.run(edit)
    assert.match((await ledger.verify()).fault!, fault)
    if (undo !== '') await ledger.raw.run(undo)
  }
})

test('verify finds scopes of a token that were changed by SQL, those that allow nothing too', async (t) => {
  const ledger = await aStoreLedger(t)
  const store = await anOperatorStore(t, ledger)
  await putAccount(store, anAccount({}))
  await store.accounts.changeToken(aToken.tokenId, aChange({ action: 'token create' }), () => aToken)
  for (const scopes of ["scopes || ' nothing.read'", "' ' || scopes", "'keys.write'"]) {
    await ledger.raw.run(`UPDATE operator_tokens SET scopes = ${scopes}`)
    assert.match((await ledger.verify()).fault ?? 'sound', /token tok_0123456789abcdef was changed/, scopes)
    await ledger.raw.run(`UPDATE operator_tokens SET scopes = '${aToken.scopes.join(' ')}'`)
  }
  assert.equal((await ledger.verify()).fault, null)
})

test('an export carries operators without their passwords, and tokens; the imported ledger is sound before and after a reset', async (t) => {
  const ledger = await aStoreLedger(t)
  const store = await anOperatorStore(t, ledger)
  const mai = anAccount({ passwordHash: '$argon2id$secret' })
  await putAccount(store, mai)
  await store.accounts.changeToken(aToken.tokenId, aChange({ action: 'token create' }), () => aToken)
  const file = await exportOf(ledger.database)
  assert.doesNotMatch(file, /argon2id/)

  const target = await anEmptyDatabase(t, storeKind)
  const { verification } = await importInto(target, file)
  assert.equal(verification.fault, null)
  assert.equal(await exportOf(target), file)
  const { operators, close } = await openStore(target)
  t.after(close)
  assert.deepEqual(await operators.operators(), [{ ...mai, passwordHash: null }])
  assert.deepEqual(await operators.tokens(), [aToken])
  await operators.changeOperator('mai', aChange({ action: 'operator reset' }), (before) => ({
    ...before!,
    passwordHash: '$argon2id$another',
  }))
  const snapshot = await openSnapshot(target)
  t.after(() => snapshot.close())
  assert.equal((await verifyLedger(snapshot, () => {})).fault, null)
})

test('a session is found until it ends; an operator has the newest twenty', async (t) => {
  const ledger = await aStoreLedger(t)
  const { sessions } = await anOperatorStore(t, ledger)
  for (let index = 0; index < 22; index++)
    await sessions.begin(aSession({ sessionId: `s${index}`, createdAt: aNoon + index }))
  await sessions.begin(aSession({ sessionId: 'other', operatorId: 'an' }))
  assert.equal((await sessions.sessions()).length, 21)
  assert.equal(await sessions.session('s1'), null)
  assert.deepEqual(await sessions.session('s2'), aSession({ sessionId: 's2', createdAt: aNoon + 2 }))
  await sessions.end('s2')
  assert.equal(await sessions.session('s2'), null)
  assert.equal(await sessions.endAll('mai', 's9'), 18)
  assert.deepEqual(
    (await sessions.sessions()).map(({ sessionId }) => sessionId),
    ['other', 's9'],
  )
})

test('a session and a last use are written only if nobody did it since', async (t) => {
  const ledger = await aStoreLedger(t)
  const { sessions } = await anOperatorStore(t, ledger)
  await sessions.begin(aSession())
  const { sessionId } = aSession()
  await sessions.touch(sessionId, aNoon + 5, aNoon)
  await sessions.touch(sessionId, aNoon + 9, aNoon)
  assert.equal((await sessions.session(sessionId))!.usedAt, aNoon + 5)
  const use = { subject: 'operator mai', at: aNoon, address: '192.0.2.7' }
  await sessions.noteUse(use, 0)
  await sessions.noteUse({ ...use, at: aNoon + 9 }, aNoon - 1)
  assert.deepEqual(await sessions.lastUses(), [use])
  const ahead = { ...use, at: aNoon + 3_600_001 }
  await sessions.noteUse(ahead, aNoon)
  await sessions.noteUse(use, aNoon - 60_000)
  assert.deepEqual(await sessions.lastUses(), [use], 'one that a clock far ahead has written does not stay')
})

test('of several processes that count the same failure, one writes and the others notice', async (t) => {
  const ledger = await aStoreLedger(t)
  const one = (await anOperatorStore(t, ledger)).sessions
  const other = (await anOperatorStore(t, ledger)).sessions
  const first = { failures: 1, at: aNoon }
  const written = await Promise.all([one, other].map((at) => at.putFailures('account 1', null, first)))
  assert.deepEqual(written.toSorted(), [false, true])
  const second = { failures: 2, at: aNoon + 1 }
  assert.equal(await one.putFailures('account 1', first, second), true)
  assert.equal(await other.putFailures('account 1', first, second), false)
  assert.deepEqual(await other.failures('account 1'), second)
  await one.forgetFailures('account 1')
  assert.equal(await one.failures('account 1'), null)
})

test('attempts to sign in at the same time, in several processes, are all counted', async (t) => {
  const ledger = await aStoreLedger(t)
  const stores = [await anOperatorStore(t, ledger), await anOperatorStore(t, ledger)]
  const processes = stores.map((store) => accessTo(store, ledger.clock))
  const typed = { operatorId: 'mai', password: 'wrong' }
  const attempts = Array.from({ length: 12 }, (_, index) =>
    processes[index % 2]!.signIn.byPassword(typed, { request: aRequest(), requestId: 'r' }),
  )
  const kinds = (await Promise.all(attempts)).map(({ kind }) => kind)
  assert.equal(kinds.filter((kind) => kind === 'wrong').length, 5)
  assert.equal(kinds.filter((kind) => kind === 'pause').length, 7)
})

test('the access log is read newest first, page by page, and loses what is too old', async (t) => {
  const ledger = await aStoreLedger(t)
  const { sessions } = await anOperatorStore(t, ledger)
  const event: AccessEvent = {
    at: aNoon,
    kind: 'read',
    actor: 'operator:mai',
    address: '192.0.2.7',
    action: 'GET /operator/v1/users/{tenantId}/{ref}',
    subject: 'user t1 x',
    requestId: 'r1',
  }
  await sessions.recordAccess({ ...event, at: aNoon - 200 * 86_400_000, requestId: 'r0' })
  await sessions.recordAccess(event)
  await sessions.recordAccess({ ...event, kind: 'denied', subject: null, requestId: 'r2' })
  await sessions.recordAccess({ ...event, actor: 'operator:an', requestId: 'r3' })
  const idsOf = async (question: Parameters<typeof sessions.accessLog>[0]) =>
    (await sessions.accessLog(question)).map(({ requestId }) => requestId)
  assert.deepEqual(await idsOf({ limit: 10 }), ['r3', 'r2', 'r1', 'r0'])
  await sessions.tidy(aNoon)
  assert.deepEqual(await idsOf({ limit: 2 }), ['r3', 'r2'])
  const [, last] = await sessions.accessLog({ limit: 2 })
  assert.deepEqual(await idsOf({ limit: 2, before: last!.accessId }), ['r1'])
  assert.deepEqual(await idsOf({ limit: 10, kind: 'denied' }), ['r2'])
  assert.deepEqual(await idsOf({ limit: 10, actor: 'operator:mai' }), ['r2', 'r1'])
})

test('the access log keeps the newest 100,000 rows of each kind, so that denied requests do not push out reads', async (t) => {
  const ledger = await aStoreLedger(t)
  const { sessions } = await anOperatorStore(t, ledger)
  const event = { at: aNoon, actor: 'a', address: '', action: 'x', subject: null, requestId: 'r' }
  await sessions.recordAccess({ ...event, kind: 'read' })
  const counted = await withRaw(operatorTables(ledger.database), async (raw) => {
    await raw.run(`
    WITH RECURSIVE many (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many WHERE n < 100003)
    INSERT INTO access_log (at, kind, actor, address, action, request_id)
    SELECT ${aNoon}, 'denied', 'a', '', 'x', 'r' FROM many`)
    await sessions.tidy(aNoon)
    return raw.rows('SELECT kind, count(*) AS count FROM access_log GROUP BY kind ORDER BY kind')
  })
  assert.deepEqual(
    counted.map(({ kind, count }) => [kind, Number(count)]),
    [
      ['denied', 100_000],
      ['read', 1],
    ],
  )
})

/** On SQLite, sessions and the access log have a file of their own. */
function operatorTables(database: DatabaseLocation): DatabaseLocation {
  return database.kind === 'sqlite' ? { kind: 'sqlite', path: `${database.path}-operator` } : database
}
