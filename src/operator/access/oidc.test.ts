import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { anOidcProvider } from '../../../test/support/oidc-provider.ts'
import { aMasterKey } from '../../../test/support/operators.ts'
import {
  accessTo,
  aBrowserRequest,
  anOperatorStore,
  aRequest,
} from '../../../test/support/operator-accounts.ts'
import type { Lifetime } from '../../../test/support/service.ts'
import { aStoreLedger } from '../../../test/support/store-ledger.ts'
import { systemClock } from '../../clock.ts'
import { NotProved } from './not-proved.ts'
import { createOidc, oidcCallback } from './oidc.ts'
import { signInByOidc } from './oidc-sign-in.ts'
import { createOperator, disableOperator } from './operators.ts'

const operatorUrl = 'http://127.0.0.1:8081'

/** An account of mai@example.com, and a provider where mai is number 7. */
async function aSetting(test: Lifetime) {
  const provider = await anOidcProvider(test, `${operatorUrl}${oidcCallback}`)
  const ledger = await aStoreLedger(test)
  const store = await anOperatorStore(test, ledger)
  const access = accessTo(store, ledger.clock)
  await createOperator(access.change(), { operatorId: 'boss', role: 'admin', password: null })
  await createOperator(access.change(), { operatorId: 'mai@example.com', role: 'support', password: null })
  provider.people.set('7', { sub: '7', email: 'Mai@example.com', email_verified: true })
  const { issuer, clientId, clientSecret } = provider
  const options = { issuer, clientId, clientSecret, claim: 'email', operatorUrl }
  const oidc = createOidc(options, aMasterKey, ledger.clock)
  const { passwords } = access.change()
  const parts = { store, signIn: access.signIn, passwords, clock: ledger.clock }

  /** What the browser brings back: the path and query, and its cookie. */
  async function comeBackAs(sub: string, to = '/partners?x=1') {
    const { url, setCookie } = await oidc.start(to, '')
    const returned = new URL(await provider.signInAs(sub, url))
    return { path: `${returned.pathname}${returned.search}`, cookie: setCookie.split(';')[0]! }
  }
  async function signInAs(sub: string): Promise<string> {
    const { path, cookie } = await comeBackAs(sub)
    return signInByOidc(parts, await oidc.finish(path, cookie, ''), { request: aRequest(), requestId: 'r' })
  }
  return { ...ledger, ...access, store, provider, oidc, options, comeBackAs, signInAs }
}

test('whoever a real provider proves is signed in as the account of that address, and linked to it with an audit row', async (t) => {
  const { signInAs, identify, store, verify, raw } = await aSetting(t)
  const identity = await identify(aBrowserRequest(await signInAs('7')))
  assert.deepEqual(
    [identity?.operatorId, identity?.role, identity?.session?.method],
    ['mai@example.com', 'support', 'oidc'],
  )
  assert.match((await store.accounts.operator('mai@example.com'))!.oidcSubject!, /^http:\/\/127.* 7$/)
  const rows = await raw.rows("SELECT actor FROM audit WHERE action = 'operator link'")
  assert.deepEqual(
    rows.map(({ actor }) => actor),
    ['operator:mai@example.com'],
  )
  assert.equal((await verify()).fault, null)
  assert.notEqual(await signInAs('7'), '', 'and again')
})

test('refused: an unverified address, one without an account, a disabled account, and somebody else with the same address', async (t) => {
  const { signInAs, provider, change } = await aSetting(t)
  provider.people.set('1', { sub: '1', email: 'mai@example.com', email_verified: false })
  await assert.rejects(signInAs('1'), /unverified/)
  provider.people.set('1', { ...provider.people.get('1')!, verifiedInIdToken: true }) // of no address
  await assert.rejects(signInAs('1'), /unverified/)
  provider.people.set('2', { sub: '2', email: 'eve@example.com', email_verified: true })
  await assert.rejects(signInAs('2'), /no account/)
  await assert.rejects(signInAs('3'), /no name/)
  await signInAs('7')
  provider.people.set('8', { sub: '8', email: 'mai@example.com', email_verified: true })
  await assert.rejects(signInAs('8'), /another person/)
  provider.people.set('7', { sub: '7', email: 'new-name@example.com', email_verified: true })
  await signInAs('7') // still the same person
  await disableOperator(change(), 'mai@example.com')
  await assert.rejects(signInAs('7'), /disabled/)
})

test('a response that was not asked for by this browser, is late, forged or used twice proves nobody', async (t) => {
  const { oidc, comeBackAs, clock, options } = await aSetting(t)
  const { path, cookie } = await comeBackAs('7')
  const other = await oidc.start('/', '')
  await assert.rejects(oidc.finish(path, undefined, ''), NotProved)
  await assert.rejects(oidc.finish(path, other.setCookie.split(';')[0], ''), NotProved)
  await assert.rejects(oidc.finish(path, `${cookie}x`, ''), NotProved)
  await assert.rejects(oidc.finish(path.replace(/code=[^&]+/, 'code=x'), cookie, ''), NotProved)
  await assert.rejects(createOidc(options, new Uint8Array(32), clock).finish(path, cookie, ''), NotProved)
  const second = await comeBackAs('7')
  assert.equal((await oidc.finish(second.path, second.cookie, '')).name, 'Mai@example.com')
  await assert.rejects(oidc.finish(second.path, second.cookie, ''), NotProved)
  clock.advance(600_000)
  await assert.rejects(oidc.finish(path, cookie, ''), /ten minutes/)
})

test('an id token that the provider has not signed proves nobody, and neither does a response of many megabytes', async (t) => {
  const { signInAs, provider } = await aSetting(t)
  const idToken = /"id_token":"([^"]+)"/
  const withToken = (change: (parts: string[]) => string[]) => (json: string) =>
    json.replace(idToken, (_, token: string) => `"id_token":"${change(token.split('.')).join('.')}"`)
  const changes = [
    withToken(([header, claims]) => [header!, claims!, 'A'.repeat(342)]),
    withToken(([, claims]) => [Buffer.from('{"alg":"none"}').toString('base64url'), claims!, '']),
    (json: string) => json.replace('{', `{${' '.repeat(4_000_000)}`),
  ]
  for (const change of changes) {
    provider.tokens.change = change
    await assert.rejects(signInAs('7'), NotProved)
  }
  provider.tokens.change = (json) => json
  assert.notEqual(await signInAs('7'), '')
})

test('after the sign-in the browser is sent to a page of ours, and never elsewhere', async (t) => {
  const { oidc, comeBackAs, options, clock } = await aSetting(t)
  const back = await comeBackAs('7', '/partners?x=1')
  assert.equal((await oidc.finish(back.path, back.cookie, '')).to, '/partners?x=1')
  // A browser takes "//evil.example" for another site, however it was written before.
  const away = ['//evil.example/x', '/.//evil.example', `${operatorUrl}//evil.example`, '/a/..//evil.example']
  for (const to of away) {
    const { path, cookie } = await comeBackAs('7', to)
    const sentTo = (await oidc.finish(path, cookie, '')).to
    assert.equal(new URL(sentTo, operatorUrl).origin, operatorUrl, `${to} leads to ${sentTo}`)
  }
  const gone = createOidc({ ...options, issuer: 'http://127.0.0.1:1' }, aMasterKey, clock)
  await assert.rejects(gone.start('/', ''), /cannot be used/)
})

test('a subject that OpenID Connect does not allow proves nobody: it could not be stored, exported or shown as it is', async (t) => {
  const { signInAs, provider, verify, store } = await aSetting(t)
  for (const [number, sub] of ['\ud800', 'a\u0000b', '\u001b[2J', 'x'.repeat(256)].entries()) {
    provider.people.set(`9${number}`, { sub, email: 'mai@example.com', email_verified: true })
    await assert.rejects(signInAs(`9${number}`), /its ID token/)
  }
  assert.equal((await store.accounts.operator('mai@example.com'))!.oidcSubject, null)
  assert.equal((await verify()).fault, null)
})

test('an address with a letter that only looks like one of the account, in any case, is not its address', async (t) => {
  const { signInAs, provider, change } = await aSetting(t)
  await createOperator(change(), { operatorId: 'kim@example.com', role: 'admin', password: null })
  provider.people.set('9', { sub: '9', email: '\u212aim@example.com', email_verified: true }) // the sign of the kelvin
  await assert.rejects(signInAs('9'), /no account/)
  provider.people.set('9', { sub: '9', email: 'KIM@example.com', email_verified: true })
  assert.notEqual(await signInAs('9'), '')
})

test('a provider that did not give all of its addresses is asked again, and so is one that gave them long ago', async (t) => {
  const { signInAs, provider, oidc, clock } = await aSetting(t)
  const without = (name: string) => (json: string) => json.replace(`"${name}"`, '"x"')
  provider.discovery.change = without('authorization_endpoint')
  await assert.rejects(oidc.start('/', ''), NotProved)
  provider.discovery.change = without('token_endpoint')
  await assert.rejects(signInAs('7'), NotProved)
  provider.discovery.change = (json) => json
  clock.advance(600_000)
  assert.notEqual(await signInAs('7'), '')
})

test('while the provider does not respond, a few sign-ins wait for it, and the others are told to try again', async (t) => {
  const silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  t.after(() => silent.close())
  const issuer = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const options = { issuer, clientId: 'a', clientSecret: 'b', claim: 'email', operatorUrl }
  const oidc = createOidc(options, aMasterKey, systemClock)
  const asked = once(silent, 'connection')
  const waiting = Array.from({ length: 8 }, () => assert.rejects(oidc.start('/', ''), /cannot be used/))
  await assert.rejects(oidc.start('/', ''), /too many/)
  silent.on('connection', (socket) => socket.destroy())
  const [socket] = await asked
  socket.destroy()
  await Promise.all(waiting)
  await assert.rejects(oidc.start('/', ''), /cannot be used/, 'there is room again')
})

test('while the provider is slow, one address does not keep the others from signing in', async (t) => {
  const { oidc, provider, comeBackAs } = await aSetting(t)
  const { path, cookie } = await comeBackAs('7')
  const stranger = '203.0.113.7'
  const theirs = await oidc.start('/', stranger)
  const held = Promise.withResolvers<void>()
  provider.hold = held.promise
  const state = new URL(theirs.url).searchParams.get('state')
  const guess = () =>
    oidc.finish(`${oidcCallback}?code=x&state=${state}`, theirs.setCookie.split(';')[0], stranger)
  const guesses = Array.from({ length: 8 }, () => assert.rejects(guess(), NotProved))
  const proved = oidc.finish(path, cookie, '198.51.100.4')
  held.resolve()
  assert.equal((await proved).name, 'Mai@example.com')
  await Promise.all(guesses)
})
