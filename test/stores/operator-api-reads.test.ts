import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { permissionNames, permissionsOf, roleNames } from '../../src/operator/access/permissions.ts'
import type { ApiRoute } from '../../src/operator/api/route.ts'
import { routes } from '../../src/operator/api/routes.ts'
import {
  type ApiAnswer,
  type ApiRequest,
  anApi,
  consoleOrigin,
  type TestApi,
} from '../support/operator-api.ts'
import { startService, type TestService } from '../support/service.ts'

/**
 * Every declared route, with every role and with every kind of forged request. The API serves the declared routes and no
 * others, so that a new one is tested here from the moment it is declared.
 */
const ends: (() => Promise<void> | void)[] = []
const lifetime = { after: (end: () => Promise<void> | void) => void ends.push(end) }
let service: TestService
let api: TestApi
let ids: Record<string, string>

const address = 'canary.address@example.com'
const note = 'canary note'

describe('every declared route', () => {
  before(async () => {
    service = await startService(lifetime)
    api = await anApi(lifetime, service)
    const { acme } = service
    const { body } = await acme.award({ orderId: 'order-of-canary', userEmail: address, note })
    const refused = await acme.award({ amount: 1, userEmail: address, note })
    await service.lookNow()
    const found = await api.as('admin', {
      method: 'POST',
      path: '/users',
      body: { tenantId: 't1', email: address },
    })
    ids = {
      partnerId: 'acme',
      tenantId: 't1',
      epTransactionId: body.epTransactionId,
      requestId: refused.body.requestId,
      ref: found.body.ref,
    }
  })
  after(async () => {
    for (const end of ends.toReversed()) await end()
  })

  const nameOf = ({ method, path }: ApiRoute) => `${method} ${path}`
  const pathOf = ({ path }: ApiRoute) =>
    path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? 'x'))

  /** It reaches the check of the body, and is refused there: so it shows that the sender may do it, and does nothing. */
  const stopped = (route: ApiRoute): ApiRequest => ({
    method: route.method,
    path: pathOf(route),
    ...(route.method === 'GET' ? {} : { body: 'not JSON' }),
  })
  const changing = routes.filter(({ method }) => method !== 'GET')
  const guarded = routes.filter(({ needs }) => needs !== 'anyone')

  async function settings(): Promise<string> {
    return service.operate(async ({ store }) => JSON.stringify(await store.settingsVersion(null)))
  }

  test('a role may use exactly the routes whose permission it has', async () => {
    const [wrong, expected]: [string[], string[]] = [[], []]
    const version = await settings()
    for (const route of guarded) {
      for (const role of roleNames) {
        const { status, body } = await api.as(role, stopped(route))
        const isDenied = status === 403 && body.code === 'NOT_PERMITTED'
        const mayUse = route.needs === 'signed in' || permissionsOf(role).has(route.needs as never)
        if (isDenied === mayUse || status === 401) wrong.push(`${nameOf(route)} as ${role}: ${status}`)
        if (isDenied) expected.push(`a-${role} ${nameOf(route)}`)
      }
    }
    assert.deepEqual(wrong, [])
    assert.equal(await settings(), version, 'nothing was changed')
    assert.ok(expected.length > 0)
    assert.deepEqual(inOrder(await denials()), inOrder(expected), 'each denied attempt is in the access log')
  })

  async function denials(): Promise<string[]> {
    const { body } = await api.as('admin', { path: '/access-log?kind=denied&limit=1000' })
    return body.items.map(({ actor, action }: { actor: string; action: string }) =>
      `${actor} ${action}`.replace('operator:', ''),
    )
  }

  /** Questions that are sent by POST, because of what they ask about; and what everybody does with the own session. */
  const changesNothing = [/^POST \/find$/, /^POST \/partners\/\{partnerId\}\/caps\/try$/, / \/session(\/|$)/]

  test('a viewer can change nothing but the own session', async () => {
    const wrong: string[] = []
    for (const route of changing.filter(({ needs }) => needs !== 'anyone')) {
      if (changesNothing.some((name) => name.test(nameOf(route)))) continue
      const { status } = await api.as('viewer', stopped(route))
      if (status !== 403) wrong.push(`${nameOf(route)}: ${status}`)
    }
    assert.deepEqual(wrong, [])
  })

  test('a token may use exactly the routes of its scopes', async () => {
    const wrong: string[] = []
    const tokens = new Map<string, string>()
    for (const permission of permissionNames) tokens.set(permission, await api.token([permission]))
    for (const route of guarded) {
      if (route.needs === 'signed in') continue
      const others = permissionNames.filter((name) => name !== route.needs)
      const without = await api.token(others)
      const allowed = await api.byToken(tokens.get(route.needs)!, stopped(route))
      const denied = await api.byToken(without, stopped(route))
      if ([401, 403].includes(allowed.status))
        wrong.push(`${nameOf(route)}: ${allowed.status} with its scope`)
      if (denied.status !== 403) wrong.push(`${nameOf(route)}: ${denied.status} with all other scopes`)
    }
    assert.deepEqual(wrong, [])
  })

  test('whoever is not signed in, and whoever has a false cookie or token, gets nothing from any route', async () => {
    const wrong: string[] = []
    const strangers = {
      'no header': {},
      'a false cookie': { cookie: `partner-credit-session=${'A'.repeat(43)}` },
      'a false token': { authorization: `Bearer pct_${'A'.repeat(43)}` },
      'a false token beside a good cookie': {
        authorization: `Bearer pct_${'A'.repeat(43)}`,
        cookie: api.cookieOf('admin'),
      },
    }
    for (const route of guarded) {
      for (const [name, headers] of Object.entries(strangers)) {
        const { status, body } = await api.send({ ...stopped(route), headers })
        if (status !== 401 || body.code !== 'NOT_SIGNED_IN')
          wrong.push(`${nameOf(route)} with ${name}: ${status}`)
      }
    }
    assert.deepEqual(wrong, [])
  })

  test('a changing request with a cookie is refused unless the console sent it', async () => {
    const good = {
      cookie: api.cookieOf('admin'),
      origin: consoleOrigin,
      'sec-fetch-site': 'same-origin',
      'x-csrf-token': api.csrfTokenOf('admin'),
    }
    const { 'x-csrf-token': _, ...withoutToken } = good
    const forged: Record<string, Record<string, string>> = {
      'no CSRF token': withoutToken,
      'an empty CSRF token': { ...good, 'x-csrf-token': '' },
      "another session's CSRF token": { ...good, 'x-csrf-token': api.csrfTokenOf('viewer') },
      'another origin': { ...good, origin: 'https://evil.example' },
      'an origin of null': { ...good, origin: 'null' },
      'another port': { ...good, origin: 'http://127.0.0.1:9999' },
      'another site, by Sec-Fetch-Site': { ...good, 'sec-fetch-site': 'cross-site' },
      'the same site, but another host': { ...good, 'sec-fetch-site': 'same-site' },
      'neither Origin nor Sec-Fetch-Site': { cookie: good.cookie, 'x-csrf-token': good['x-csrf-token'] },
    }
    const wrong: string[] = []
    const version = await settings()
    for (const route of changing.filter(({ needs }) => needs !== 'anyone')) {
      for (const [name, headers] of Object.entries(forged)) {
        const { status, body } = await api.send({ ...stopped(route), headers })
        if (status !== 403 || body.code !== 'CSRF_REFUSED')
          wrong.push(`${nameOf(route)} with ${name}: ${status}`)
      }
      const { status } = await api.send({ ...stopped(route), headers: good })
      if (status === 403) wrong.push(`${nameOf(route)} from the console: ${status}`)
    }
    assert.deepEqual(wrong, [])
    assert.equal(await settings(), version, 'nothing was changed')
    assert.ok(changing.length > 10)
  })

  test('a GET changes nothing', async () => {
    const version = await settings()
    for (const route of routes.filter(({ method }) => method === 'GET'))
      await api.as('admin', { path: pathOf(route) })
    assert.equal(await settings(), version)
  })

  /** With data in them: what a route shows of a person. */
  async function shownBy(role: 'viewer' | 'admin', route: ApiRoute): Promise<ApiAnswer | null> {
    const questions: Record<string, unknown> = {
      'POST /find': { text: 'order-of-canary' },
      'POST /users': { tenantId: 't1', email: address },
      'POST /partners/{partnerId}/caps/try': { perPartnerDay: 1 },
    }
    const body = questions[nameOf(route)]
    if (route.method !== 'GET' && body === undefined) return null
    const query = nameOf(route) === 'GET /usage' ? '?users=true' : ''
    return api.as(role, {
      method: route.method,
      path: `${pathOf(route)}${query}`,
      ...(body === undefined ? {} : { body }),
    })
  }

  const isPersonal = ({ text }: ApiAnswer) => text.includes(address) || text.includes(note)

  test('a route shows addresses and notes only if it declares so, and then the read is in the access log', async () => {
    const wrong: string[] = []
    const shown: string[] = []
    for (const route of routes) {
      const answer = await shownBy('admin', route)
      if (answer === null || !isPersonal(answer)) continue
      shown.push(nameOf(route))
      if (!route.personalData) wrong.push(`${nameOf(route)} shows personal data and does not declare it`)
    }
    assert.deepEqual(wrong, [])
    assert.deepEqual(
      inOrder(shown),
      ['GET /awards/{epTransactionId}', 'GET /usage', 'GET /users/{tenantId}/{ref}', 'POST /find'],
      'the routes that show a person were reached',
    )
    const { body } = await api.as('admin', { path: '/access-log?kind=read&actor=operator:a-admin' })
    const logged = body.items.map(({ action }: { action: string }) => action)
    for (const name of shown) assert.ok(logged.includes(name), `${name} is in the access log`)
    assert.ok(!JSON.stringify(body).includes(address), 'the access log has no addresses')
  })

  test('a viewer gets no address and no note from any route', async () => {
    const wrong: string[] = []
    for (const route of routes) {
      const answer = await shownBy('viewer', route)
      if (answer !== null && isPersonal(answer)) wrong.push(nameOf(route))
    }
    assert.deepEqual(wrong, [])
    const { body } = await api.as('admin', { path: '/access-log?kind=read&actor=operator:a-viewer' })
    assert.deepEqual(body.items, [], 'a viewer has read nothing that is recorded')
  })
})

function inOrder(names: string[]): string[] {
  return names.toSorted((a, b) => (a < b ? -1 : 1))
}
