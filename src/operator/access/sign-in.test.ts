import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endedSessionCookie, sessionCookie } from './cookies.ts'
import { sessionMaxMs, touchEveryMs } from './identify.ts'
import {
  changeOwnPassword,
  createOperator,
  disableOperator,
  linkOperator,
  resetOperator,
  setRole,
} from './operators.ts'
import { permissionsOf } from './permissions.ts'
import { csrfTokenOf } from './secrets.ts'
import { createToken, revokeToken } from './tokens.ts'
import { Refused } from '../../partners/refused.ts'
import {
  aBrowserRequest,
  accessTo,
  anAccount,
  anOperatorStore,
  aRequest,
  putAccount,
} from '../../../test/support/operator-accounts.ts'
import { aStoreLedger } from '../../../test/support/store-ledger.ts'
import type { Lifetime } from '../../../test/support/service.ts'

const password = 'correct horse battery'

/** A ledger with the admin mai, whose password is above. */
async function withMai(test: Lifetime) {
  const ledger = await aStoreLedger(test)
  const store = await anOperatorStore(test, ledger)
  const access = accessTo(store, ledger.clock)
  await createOperator(access.change(), { operatorId: 'Mai', role: 'admin', password })
  const signIn = (operatorId: string, typed: string, address = '192.0.2.7') =>
    access.signIn.byPassword(
      { operatorId, password: typed },
      { request: aRequest({ address }), requestId: 'r1' },
    )
  async function session(): Promise<string> {
    const result = await signIn('mai', password)
    assert.equal(result.kind, 'signed in')
    return result.kind === 'signed in' ? result.secret : ''
  }
  return { ...ledger, store, ...access, signInAs: signIn, session }
}

test('a password signs in, in any case of the name, and the session lasts until it is idle or twelve hours old', async (t) => {
  const { identify, session, signInAs, clock, store } = await withMai(t)
  const secret = await session()
  assert.equal((await signInAs(' MAI ', password)).kind, 'signed in')
  const identity = await identify(aBrowserRequest(secret))
  assert.deepEqual(
    [identity?.actor, identity?.role, identity?.permissions],
    ['operator:mai', 'admin', permissionsOf('admin')],
  )
  assert.equal(await identify(aBrowserRequest('A'.repeat(43))), null)
  assert.equal(await identify(aRequest()), null)

  clock.advance(touchEveryMs)
  await identify(aBrowserRequest(secret))
  const sessionId = identity!.session!.sessionId
  assert.equal((await store.sessions.session(sessionId))!.usedAt, clock.now())
  clock.advance(3_599_000)
  assert.notEqual(await identify(aBrowserRequest(secret)), null)
  clock.advance(3_600_000)
  assert.equal(await identify(aBrowserRequest(secret)), null, 'idle for an hour')

  const other = await session()
  for (let hours = 0; hours < 23; hours++) {
    clock.advance(1_800_000)
    assert.notEqual(await identify(aBrowserRequest(other)), null)
  }
  clock.advance(sessionMaxMs - 23 * 1_800_000)
  assert.equal(await identify(aBrowserRequest(other)), null, 'twelve hours old')
})

test('a wrong password, an unknown name and a disabled account are refused alike', async (t) => {
  const { signInAs, change } = await withMai(t)
  await createOperator(change(), { operatorId: 'an', role: 'viewer', password })
  await createOperator(change(), { operatorId: 'sso', role: 'viewer', password: null })
  await disableOperator(change(), 'an')
  for (const [name, typed] of [
    ['mai', 'correct horse batterz'],
    ['nobody', password],
    ['no such name!', password],
    ['an', password],
    ['sso', ''],
    ['mai', 'x'.repeat(5_000)],
  ] as const)
    assert.deepEqual(await signInAs(name, typed), { kind: 'wrong' }, name)
})

test('every failure is in the access log, without the name that was typed, and whoever writes it deletes what is too old', async (t) => {
  const { signInAs, store, clock } = await withMai(t)
  const old = {
    at: clock.now() - 200 * 86_400_000,
    kind: 'read',
    actor: 'operator:mai',
    action: 'x',
  } as const
  await store.sessions.recordAccess({ ...old, address: '', subject: null, requestId: 'r0' })
  await signInAs('mai', 'wrong')
  await signInAs('hunter2', 'wrong')
  assert.deepEqual(
    (await store.sessions.accessLog({ limit: 10 })).map(({ kind, actor, action }) => [kind, actor, action]),
    [
      ['sign-in failed', 'unknown', 'sign-in without an account'],
      ['sign-in failed', 'operator:mai', 'sign-in with a wrong password'],
    ],
  )
})

test('after five failures an account pauses, twice as long each time, at every address, and a success ends it', async (t) => {
  const { signInAs, clock, database, store } = await withMai(t)
  const address = (index: number) => `198.51.100.${index}`
  for (let index = 0; index < 5; index++)
    assert.equal((await signInAs('mai', 'wrong', address(index))).kind, 'wrong')
  assert.deepEqual(await signInAs('mai', password, address(5)), { kind: 'pause', seconds: 1 })
  clock.advance(1_000)
  assert.equal((await signInAs('mai', 'wrong', address(6))).kind, 'wrong')
  clock.advance(1_000)
  assert.deepEqual(await signInAs('mai', password, address(7)), { kind: 'pause', seconds: 1 })
  clock.advance(1_000)

  const process2 = accessTo(
    await anOperatorStore(t, { store: { operators: store.accounts } as never, database }),
    clock,
  )
  const attempt = { request: aRequest({ address: address(8) }), requestId: 'r2' }
  const typed = { operatorId: 'mai', password: 'wrong' }
  assert.equal((await process2.signIn.byPassword(typed, attempt)).kind, 'wrong')
  assert.deepEqual(await signInAs('mai', password, address(9)), { kind: 'pause', seconds: 4 })
  clock.advance(4_000)
  assert.equal((await signInAs('mai', password, address(9))).kind, 'signed in')
  assert.equal((await signInAs('mai', 'wrong', address(9))).kind, 'wrong')
})

test('after fifteen failures an address pauses, whatever the account, and not its neighbors', async (t) => {
  const { signInAs } = await withMai(t)
  for (let index = 0; index < 15; index++)
    assert.equal((await signInAs(`name-${index}`, 'wrong', `2001:db8::${index}`)).kind, 'wrong')
  assert.deepEqual(await signInAs('mai', password, '2001:db8::99'), { kind: 'pause', seconds: 1 })
  assert.equal((await signInAs('mai', password, '2001:db8:0:1::1')).kind, 'signed in')
})

test('a reset, a new password of its own and a disabled account end every session; another role applies at once', async (t) => {
  const { identify, session, signInAs, change, store } = await withMai(t)
  await createOperator(change(), { operatorId: 'boss', role: 'admin', password })
  const first = await session()
  await setRole(change(), 'mai', 'viewer')
  assert.equal((await identify(aBrowserRequest(first)))?.role, 'viewer')
  await resetOperator(change(), 'mai', 'another long password')
  assert.equal(await identify(aBrowserRequest(first)), null)
  assert.equal((await signInAs('mai', password)).kind, 'wrong')

  const second = await signInAs('mai', 'another long password')
  assert.ok(second.kind === 'signed in')
  await changeOwnPassword(change(), 'mai', password)
  assert.equal(await identify(aBrowserRequest(second.secret)), null)

  const third = await session()
  await disableOperator(change(), 'mai')
  assert.equal(await identify(aBrowserRequest(third)), null)
  await resetOperator(change(), 'mai', password)
  assert.equal(await identify(aBrowserRequest(third)), null, 'not even when the account is active again')

  const [fourth, fifth] = [await session(), await session()]
  assert.ok((await store.sessions.endAll('mai')) >= 2)
  assert.equal(await identify(aBrowserRequest(fourth)), null)
  assert.equal(await identify(aBrowserRequest(fifth)), null)
})

test('the last active admin can neither be disabled nor lose the role', async (t) => {
  const { change } = await withMai(t)
  await assert.rejects(disableOperator(change(), 'mai'), Refused)
  await assert.rejects(setRole(change(), 'mai', 'support'), Refused)
  await createOperator(change(), { operatorId: 'an', role: 'admin', password })
  await disableOperator(change(), 'mai')
  await assert.rejects(setRole(change(), 'an', 'viewer'), /last active admin/)
})

test('names and passwords that are too weak, and accounts that exist, are refused', async (t) => {
  const { change } = await withMai(t)
  const role = 'viewer'
  for (const [operatorId, typed, why] of [
    ['', password, /name of the account/],
    ['a b', password, /name of the account/],
    ['mai', password, /exists already/],
    ['an', 'short', /12 to 200/],
    ['an', 'aaaaaaaaaaaaaaaaa', /different characters/],
    ['an-nguyen', 'an-nguyen-2026', /name of the account/],
  ] as const)
    await assert.rejects(createOperator(change(), { operatorId, role, password: typed }), why)
  await assert.rejects(
    createOperator(change(), { operatorId: 'an', role: 'admin', password }, { isFirst: true }),
    /there is an account already/,
  )
})

test('an account is linked to one person at the OpenID provider, until it is reset', async (t) => {
  const { change, store } = await withMai(t)
  await linkOperator(change(), 'mai', 'https://id.example 1')
  await assert.rejects(linkOperator(change(), 'mai', 'https://id.example 2'), Refused)
  await resetOperator(change(), 'mai', null, { forgetOidc: true })
  assert.deepEqual(
    { ...(await store.accounts.operator('mai')), sessionsFrom: 0, createdAt: 0 },
    anAccount({ sessionsFrom: 0, createdAt: 0 }),
  )
})

test('a token does what its scopes say and its owner may, until it expires or is revoked', async (t) => {
  const { identify, change, clock, store, signInAs } = await withMai(t)
  const { accounts, by } = change()
  await createOperator(change(), { operatorId: 'an', role: 'support', password })
  const wanted = { name: 'report', expiresAt: clock.now() + 60_000 }
  const issued = await createToken(
    { accounts, by },
    { ...wanted, scopes: ['keys.write', 'figures.read'], operatorId: 'an' },
  )
  const free = await createToken({ accounts, by }, { ...wanted, scopes: ['metrics.read'], operatorId: null })
  const bearer = (secret: string) => aRequest({ headers: { authorization: `Bearer ${secret}` } })
  const identity = await identify(bearer(issued.secret))
  assert.deepEqual([...identity!.permissions], ['figures.read'])
  assert.equal(identity!.actor, `token:${issued.tokenId}`)
  assert.deepEqual([...(await identify(bearer(free.secret)))!.permissions], ['metrics.read'])
  assert.ok((await store.sessions.lastUses()).some(({ subject }) => subject === `token ${free.tokenId}`))

  await disableOperator(change(), 'an')
  assert.equal(await identify(bearer(issued.secret)), null, 'its owner is disabled')
  await resetOperator(change(), 'an', password)
  assert.notEqual(await identify(bearer(issued.secret)), null)
  await revokeToken({ accounts, by }, issued.tokenId)
  assert.equal(await identify(bearer(issued.secret)), null, 'revoked')
  const second = await signInAs('mai', password)
  assert.ok(second.kind === 'signed in')
  const both = aBrowserRequest(second.secret, { headers: { authorization: `Bearer ${issued.secret}` } })
  assert.equal(await identify(both), null, 'a cookie does not help')
  clock.advance(60_000)
  assert.equal(await identify(bearer(free.secret)), null, 'expired')
  await assert.rejects(createToken({ accounts, by }, { ...wanted, scopes: [], operatorId: null }), /scope/)
  await assert.rejects(
    createToken({ accounts, by }, { ...wanted, expiresAt: 0, scopes: ['audit.read'], operatorId: null }),
    /expires/,
  )
})

test('what a role or a scope does not allow is refused with 403 and a row in the access log; strangers leave none', async (t) => {
  const { guard, session, store, change } = await withMai(t)
  await createOperator(change(), { operatorId: 'boss', role: 'admin', password })
  const secret = await session()
  await setRole(change(), 'mai', 'viewer')
  const needs = { permission: 'keys.write' as const, action: 'POST /keys', requestId: 'r9' }
  const headers = { 'x-csrf-token': csrfTokenOf(secret) }
  const { refusal } = await guard.admit(aBrowserRequest(secret, { method: 'POST', headers }), needs)
  assert.deepEqual([refusal?.status, refusal?.code], [403, 'NOT_PERMITTED'])
  assert.match(refusal!.detail, /keys\.write.*admin.*viewer/)
  assert.equal((await guard.admit(aRequest(), needs)).refusal?.status, 401)
  const { identity } = await guard.admit(aBrowserRequest(secret), { ...needs, permission: 'figures.read' })
  await guard.recordRead(aBrowserRequest(secret), identity!, {
    action: 'GET /users',
    requestId: 'r10',
    subject: 'user t1 x',
  })
  const rows = (await store.sessions.accessLog({ limit: 10 })).filter(({ kind }) => kind !== 'sign-in')
  assert.deepEqual(
    rows.map(({ kind, actor, action, subject }) => [kind, actor, action, subject]),
    [
      ['read', 'operator:mai', 'GET /users', 'user t1 x'],
      ['denied', 'operator:mai', 'POST /keys', 'NOT_PERMITTED'],
    ],
  )
})

test('a changing request of a browser needs the CSRF token and must come from the console; a token needs neither', async (t) => {
  const { guard, session, change, clock } = await withMai(t)
  const secret = await session()
  const good = { 'x-csrf-token': csrfTokenOf(secret) }
  const needs = { permission: null, action: 'POST /x', requestId: 'r' }
  const codeOf = async (headers: Record<string, string | undefined>, method = 'POST') =>
    (await guard.admit(aBrowserRequest(secret, { method, headers }), needs)).refusal?.code
  assert.equal(await codeOf(good), undefined)
  assert.equal(await codeOf({}, 'GET'), undefined)
  assert.equal(await codeOf({ ...good, origin: undefined }), undefined)
  assert.equal(await codeOf({ ...good, 'sec-fetch-site': undefined }), undefined)
  for (const headers of [
    {},
    { 'x-csrf-token': 'x' },
    { ...good, origin: 'https://evil.example' },
    { ...good, origin: 'null' },
    { ...good, 'sec-fetch-site': 'same-site' },
    { ...good, 'sec-fetch-site': 'cross-site', origin: undefined },
    { ...good, 'sec-fetch-site': undefined, origin: undefined },
  ])
    assert.equal(await codeOf(headers), 'CSRF_REFUSED', JSON.stringify(headers))
  const { accounts, by } = change()
  const wanted = { name: 'n', expiresAt: clock.now() + 1000, operatorId: null }
  const token = await createToken({ accounts, by }, { ...wanted, scopes: ['audit.read'] })
  const headers = { authorization: `Bearer ${token.secret}`, origin: 'https://evil.example' }
  assert.equal((await guard.admit(aRequest({ method: 'POST', headers }), needs)).refusal, undefined)
})

test('the cookie is for the host alone, unreadable for scripts, and never sent with requests of other sites', () => {
  assert.equal(
    sessionCookie('x', { isSecure: true }),
    '__Host-partner-credit-session=x; Path=/; HttpOnly; Secure; SameSite=Strict',
  )
  assert.equal(
    endedSessionCookie({ isSecure: false }),
    'partner-credit-session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict',
  )
})

test('a name in the store that is not ours signs nobody in', async (t) => {
  const { store, signInAs } = await withMai(t)
  await putAccount(store, anAccount({ operatorId: 'odd', passwordHash: 'plain text' }))
  assert.equal((await signInAs('odd', 'plain text')).kind, 'wrong')
})
