import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, test } from 'node:test'
import { firstAccountSecret } from '../../src/operator/access/first-account.ts'
import { oidcCallback } from '../../src/operator/access/oidc.ts'
import { ConsoleBrowser } from '../support/console-browser.ts'
import { storeKind } from '../support/fresh-database.ts'
import { anOidcProvider } from '../support/oidc-provider.ts'
import { anApi } from '../support/operator-api.ts'
import { requestText, sendRaw } from '../support/raw-http.ts'
import { startService } from '../support/service.ts'

type Listed = { operatorId: string; role: string; sessions: { isThis: boolean }[] }

const password = 'correct horse battery'

const consoleUrl = 'http://console.test'
const provider = await anOidcProvider({ after }, `${consoleUrl}${oidcCallback}`)
/** One for all tests, in their order. The first one makes mai, an admin. */
const service = await startService(
  { after },
  {
    OPERATOR_URL: consoleUrl,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: provider.clientId,
    OIDC_CLIENT_SECRET: provider.clientSecret,
    OIDC_NAME: 'Example ID',
  },
  { nodes: storeKind === 'postgres' ? 2 : 1 },
)
const { operatorUrl, operatorUrls, config, clock, verify } = service
const aBrowser = () => new ConsoleBrowser(operatorUrl, consoleUrl)

async function signedInAsMai(): Promise<ConsoleBrowser> {
  const mai = aBrowser()
  assert.equal((await mai.signIn('mai', password)).status, 200)
  return mai
}

test('the first account is made by the link, once, and then signs in, out and everywhere out', async () => {
  const mai = aBrowser()
  const provider = 'Example ID'
  assert.deepEqual((await mai.send('GET', '/session')).body, { needsFirstAccount: true, provider })
  const secret = firstAccountSecret(config.masterKey!, clock.now())
  const account = { name: 'Mai', password }
  const forged = { ...account, secret: secret.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')) }
  assert.equal((await mai.send('POST', '/session/first', forged)).body.code, 'REFUSED')
  const made = await mai.send('POST', '/session/first', { ...account, secret })
  assert.deepEqual(
    [made.status, made.body.operator],
    [201, { operatorId: 'mai', name: 'mai', role: 'admin' }],
  )
  assert.equal((await mai.send('POST', '/session/first', { ...account, secret })).body.code, 'REFUSED')
  const { body } = await mai.send('GET', '/session')
  assert.deepEqual([body.operator.role, body.method, body.csrfToken], ['admin', 'password', mai.csrfToken])

  const desk = aBrowser()
  assert.equal((await desk.signIn('mai', password)).status, 200)
  assert.equal((await desk.send('DELETE', '/session')).status, 204)
  assert.equal(desk.cookies.size, 0)
  await desk.signIn('mai', password)
  assert.equal((await mai.send('DELETE', '/session/everywhere')).body.ended, 2)
  assert.equal((await desk.send('GET', '/operators')).status, 401)
  assert.deepEqual((await desk.send('GET', '/session')).body, { needsFirstAccount: false, provider })
  assert.doesNotMatch(service.log.join(''), new RegExp(`${password}|${secret}`))
  assert.equal((await verify()).fault, null)
})

test('a wrong password is 401, and after five of them there is a pause of 429; another site cannot sign anybody in', async () => {
  const eve = aBrowser()
  const account = { name: 'mai', password }
  const from = (headers: Record<string, string>) => eve.send('POST', '/session', account, headers)
  assert.equal((await from({ origin: 'https://evil.example' })).body.code, 'CSRF_REFUSED')
  assert.equal((await from({ 'sec-fetch-site': 'cross-site' })).body.code, 'CSRF_REFUSED')
  assert.equal((await from({ 'content-type': 'text/plain' })).status, 415)
  for (let index = 0; index < 5; index++) {
    const { status, body } = await eve.signIn(index === 2 ? 'MAI' : 'mai', 'wrong')
    assert.deepEqual([status, body.code], [401, 'SIGN_IN_FAILED'])
  }
  const paused = await eve.signIn('mai', password)
  assert.deepEqual([paused.status, paused.body.code], [429, 'TOO_MANY_ATTEMPTS'])
  assert.match(paused.headers.get('retry-after')!, /^[1-9]$/)
  clock.advance(10_000)
  assert.equal((await eve.signIn('mai', password)).status, 200)
  assert.equal((await eve.send('DELETE', '/session/everywhere')).body.ended, 1)
})

test('operators are created, changed, reset and disabled with a reason in the audit trail; what a role may not do is 403 and logged', async () => {
  const mai = await signedInAsMai()
  const wanted = { operatorId: 'an', role: 'viewer', withPassword: true, reason: 'joins the desk' }
  const made = await mai.send('POST', '/operators', wanted)
  assert.deepEqual([made.status, made.body.operatorId], [201, 'an'])
  const an = aBrowser()
  assert.equal((await an.signIn('an', made.body.password)).status, 200)
  const denied = await an.send('POST', '/operators', { ...wanted, operatorId: 'x' })
  assert.deepEqual(
    [denied.status, denied.body.code, denied.body.needs],
    [403, 'NOT_PERMITTED', 'operators.write'],
  )

  await mai.send('PATCH', '/operators/an', { role: 'admin', reason: 'covers for me' })
  assert.equal((await an.send('GET', '/operators')).status, 200, 'the other role applies at once')
  const { body: log } = await mai.send('GET', '/access-log')
  const row = log.items.find((item: { kind: string }) => item.kind === 'denied')
  assert.deepEqual([row.actor, row.action], ['operator:an', 'POST /operators'])

  const list = (await mai.send('GET', '/operators')).body.operators
  assert.deepEqual(
    list.map(({ operatorId, role, sessions }: Listed) => [
      operatorId,
      role,
      sessions.length,
      sessions[0]!.isThis,
    ]),
    [
      ['an', 'admin', 1, false],
      ['mai', 'admin', 1, true],
    ],
  )
  const reset = await mai.send('POST', '/operators/an/reset', { withPassword: true, reason: 'lost it' })
  const trail = (await mai.send('GET', '/audit')).body.changes
  assert.doesNotMatch(JSON.stringify(trail), /ingerprint/, 'nobody is shown what verify compares')
  assert.ok(
    trail[0].changes.some(
      ({ field, after }: { field: string; after: unknown }) => field === 'password' && after === 'changed',
    ),
  )
  assert.equal((await an.send('GET', '/operators')).status, 401)
  assert.equal((await an.signIn('an', made.body.password)).status, 401)
  assert.equal((await an.signIn('an', reset.body.password)).status, 200)
  assert.equal((await mai.send('DELETE', '/operators/an/sessions')).body.ended, 1)
  await mai.send('POST', '/operators/an/disable', { reason: 'left' })
  assert.equal((await an.signIn('an', reset.body.password)).status, 401)
  const last = await mai.send('POST', '/operators/mai/disable', { reason: 'oops' })
  assert.match(last.body.detail, /last active admin/)

  const changed = await mai.send('POST', '/session/password', {
    current: password,
    password: 'a second long password',
  })
  assert.equal(changed.status, 200)
  assert.equal((await mai.send('GET', '/operators')).status, 200, 'this browser is signed in still')
  const wrong = await mai.send('POST', '/session/password', { current: password, password })
  assert.equal(wrong.body.code, 'SIGN_IN_FAILED')
  await mai.send('POST', '/session/password', { current: 'a second long password', password })

  const { body: audit } = await mai.send('GET', '/audit')
  const rows = audit.changes.map(({ action, actor, reason, origin }: Record<string, string>) => [
    action,
    actor,
    reason,
    origin,
  ])
  assert.deepEqual(rows.slice(1, 4), [
    ['operator password', 'operator:mai', null, 'console'],
    ['operator disable', 'operator:mai', 'left', 'console'],
    ['operator reset', 'operator:mai', 'lost it', 'console'],
  ])
  assert.doesNotMatch(JSON.stringify(audit), /argon2|passwordHash/)
  assert.equal((await verify()).fault, null)
})

test('the name of an account can be typed in any case, and to end the sessions of nobody is refused', async () => {
  const mai = await signedInAsMai()
  const wanted = { operatorId: 'Zoe@Example.com', role: 'viewer', withPassword: true, reason: 'new' }
  const made = await mai.send('POST', '/operators', wanted)
  const zoe = aBrowser()
  assert.equal((await zoe.signIn('ZOE@example.com', made.body.password)).status, 200)
  assert.deepEqual((await mai.send('DELETE', '/operators/Zoe@Example.com/sessions')).body, { ended: 1 })
  assert.equal((await zoe.send('GET', '/overview')).status, 401)

  await zoe.signIn('zoe@example.com', made.body.password)
  const { body: listed } = await mai.send('GET', '/operators')
  const [session] = listed.operators.find((one: Listed) => one.operatorId === 'zoe@example.com').sessions
  await mai.send('DELETE', `/operators/Zoe@Example.com/sessions/${session.sessionId}`)
  assert.equal((await zoe.send('GET', '/overview')).status, 401)

  const reason = 'left'
  assert.equal(
    (await mai.send('PATCH', '/operators/Zoe@Example.com', { role: 'support', reason })).status,
    200,
  )
  const disabled = await mai.send('POST', '/operators/Zoe@Example.com/disable', { reason })
  assert.deepEqual([disabled.body.operatorId, disabled.body.status], ['zoe@example.com', 'disabled'])
  const last = await mai.send('POST', '/operators/MAI/disable', { reason })
  assert.match(last.body.detail, /last active admin/)

  const nobody = await mai.send('DELETE', '/operators/zoe@example.org/sessions')
  assert.deepEqual([nobody.status, nobody.body.code], [422, 'REFUSED'])
  assert.equal((await verify()).fault, null)
})

test('a token is shown once, does what its scopes say without a cookie, and ends when it is revoked', async () => {
  const mai = await signedInAsMai()
  const wanted = {
    name: 'nightly',
    scopes: ['figures.read', 'operators.read'],
    expiresInDays: 30,
    reason: 'r',
  }
  const { status, body } = await mai.send('POST', '/tokens', wanted)
  assert.equal(status, 201)
  const script = aBrowser()
  const authorization = `Bearer ${body.secret}`
  const withToken = (method: string, path: string, sent?: unknown) =>
    script.send(method, path, sent, { authorization, origin: 'https://elsewhere.example' })
  assert.deepEqual((await withToken('GET', '/session')).body.token.name, 'nightly')
  assert.equal((await withToken('GET', '/tokens')).status, 200)
  const denied = await withToken('POST', '/tokens', wanted)
  assert.match(denied.body.detail, /the scope tokens\.write, which the token "nightly" does not have/)
  const [shown] = (await mai.send('GET', '/tokens')).body.tokens
  assert.deepEqual([shown.operatorId, shown.lastUse !== null], ['mai', true])
  assert.doesNotMatch(JSON.stringify(shown), /pct_|Hash/)
  await mai.send('POST', `/tokens/${body.tokenId}/revoke`, { reason: 'done' })
  assert.equal((await withToken('GET', '/tokens')).status, 401)
})

test('the metrics need no token on this machine, and one with the scope metrics.read from elsewhere', async () => {
  const mai = await signedInAsMai()
  const issue = async (scope: string) =>
    (await mai.send('POST', '/tokens', { name: 'n', scopes: [scope], expiresInDays: 1, reason: 'r' })).body
  const [right, wrong] = [await issue('metrics.read'), await issue('audit.read')]
  const scrape = async (headers: Record<string, string> = {}) =>
    (await fetch(`${operatorUrl}/metrics`, { headers })).status
  /** A proxy on this machine that is not in TRUST_PROXY: the client may be anybody. */
  const elsewhere = { 'x-forwarded-for': '192.0.2.7' }
  const withToken = ({ secret }: { secret: string }) => ({ ...elsewhere, authorization: `Bearer ${secret}` })
  assert.equal(await scrape(), 200)
  assert.equal(await scrape(elsewhere), 401)
  assert.equal(await scrape(withToken(wrong)), 403)
  assert.equal(await scrape(withToken(right)), 200)
  await mai.send('POST', `/tokens/${right.tokenId}/revoke`, { reason: 'r' })
  clock.advance(10_000)
  assert.equal(await scrape(withToken(right)), 401)
})

test('a site whose name leads a browser to this machine (DNS rebinding) cannot read the metrics', async () => {
  const statusFor = async (host: string) =>
    (await sendRaw(operatorUrl, requestText('GET /metrics HTTP/1.1', [`Host: ${host}`, 'Connection: close'])))
      .status
  for (const host of ['evil.example', 'evil.example:8081', 'evil.example.', '127.0.0.1.evil.example'])
    assert.equal(await statusFor(host), 401, host)
  for (const host of ['127.0.0.1:8081', 'localhost:8081', '[::1]:8081', '[::1]'])
    assert.equal(await statusFor(host), 200, host)
})

test('a path says by 405 and Allow which methods it has, also to HEAD and OPTIONS, and is 404 if it does not exist', async () => {
  for (const method of ['HEAD', 'OPTIONS']) {
    const ask = (path: string) => fetch(`${operatorUrl}/operator/v1${path}`, { method })
    const { status, headers } = await ask('/partners/acme')
    assert.deepEqual([status, headers.get('allow')], [405, 'GET, PATCH'])
    assert.match(headers.get('content-type')!, /^application\/problem\+json/)
    assert.equal((await ask('/partner')).status, 404)
  }
})

if (storeKind === 'postgres')
  test('a session that was begun on one node is known to the others, and ends on all of them', async () => {
    const mai = await signedInAsMai()
    mai.moveTo(operatorUrls[1]!)
    assert.equal((await mai.send('GET', '/operators')).status, 200)
    const cookie = [...mai.cookies]
    assert.equal((await mai.send('DELETE', '/session')).status, 204)
    mai.moveTo(operatorUrls[0]!)
    for (const [name, value] of cookie) mai.cookies.set(name, value)
    assert.equal((await mai.send('GET', '/operators')).status, 401)
  })
else
  test("without the operator's file everybody signs in again, and the accounts are there", async () => {
    const mai = await signedInAsMai()
    const path = config.database.kind === 'sqlite' ? config.database.path : ''
    for (const end of ['', '-wal', '-shm']) rmSync(`${path}-operator${end}`, { force: true })
    assert.equal((await mai.send('GET', '/operators')).status, 401)
    assert.equal((await mai.signIn('mai', password)).status, 200)
    assert.equal((await mai.send('GET', '/operators')).status, 200)
  })

test('a real OpenID provider signs an operator in, and whoever has no account comes back with the reason', async () => {
  const admin = await signedInAsMai()
  const wanted = { operatorId: 'mai@example.com', role: 'support', withPassword: false, reason: 'r' }
  assert.equal((await admin.send('POST', '/operators', wanted)).status, 201)
  provider.people.set('7', { sub: '7', email: 'mai@example.com', email_verified: true })
  async function signInAs(sub: string) {
    const browser = aBrowser()
    assert.equal((await browser.send('GET', '/session')).body.provider, 'Example ID')
    const { status, headers } = await browser.send('GET', '/oidc/start?to=%2Faudit')
    assert.equal(status, 303)
    const back = new URL(await provider.signInAs(sub, headers.get('location')!))
    const callback = `${back.pathname.replace('/operator/v1', '')}${back.search}`
    return { browser, location: (await browser.send('GET', callback)).headers.get('location')! }
  }
  const known = await signInAs('7')
  assert.equal(known.location, '/audit')
  const { body } = await known.browser.send('GET', '/session')
  assert.deepEqual([body.operator.operatorId, body.method], ['mai@example.com', 'oidc'])
  assert.deepEqual([...known.browser.cookies.keys()], ['partner-credit-session'])
  const unknown = await signInAs('8')
  assert.equal(unknown.location, '/sign-in#problem=no-name')
  const { items } = (await admin.send('GET', '/access-log')).body
  assert.ok(items.some(({ action }: { action: string }) => /^sign-in by oidc: .*gives no name/.test(action)))
  assert.equal(unknown.browser.cookies.has('partner-credit-session'), false)
  assert.equal((await verify()).fault, null)
})

test('whoever makes sign-ins by the OpenID provider fail, again and again, does not fill the access log', async (t) => {
  const api = await anApi(t, service)
  const { headers } = await api.send({ path: '/oidc/start' })
  const cookie = [headers['set-cookie']].flat()[0].split(';')[0]
  const state = new URL(headers.location).searchParams.get('state')
  const path = `/oidc/callback?error=access_denied&state=${state}`
  const noted = async () => {
    const { items } = (await api.as('admin', { path: '/access-log?limit=1000' })).body
    return items.filter(({ action }: { action: string }) => /refused the sign-in/.test(action)).length
  }
  const before = await noted()
  for (let time = 0; time < 5; time++) {
    const { headers } = await api.send({ path, headers: { cookie } })
    assert.equal(headers.location, '/sign-in#problem=provider-failed')
  }
  assert.equal(await noted(), before + 1)
  clock.advance(10_000)
  await api.send({ path, headers: { cookie } })
  assert.equal(await noted(), before + 2, 'what goes on is seen')
})
