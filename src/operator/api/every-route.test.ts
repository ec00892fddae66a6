import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { inOrder, nameOfRoute, type RoutesToTry, routesToTry } from '../../../test/support/every-route.ts'
import { consoleOrigin } from '../../../test/support/operator-api.ts'
import { permissionNames, permissionsOf, roleNames } from '../access/permissions.ts'
import { routes } from './routes.ts'

/**
 * Every declared route, with every role and with every kind of forged request. The API serves the declared routes and no
 * others, so that a new one is tested here from the moment it is declared. Who may use a route does not depend on the
 * store, so this runs on one; what the routes show, on both (test/stores/operator-api-reads.test.ts).
 */
const ends: (() => Promise<void> | void)[] = []
const lifetime = { after: (end: () => Promise<void> | void) => void ends.push(end) }

describe('every declared route', () => {
  let on: RoutesToTry
  before(async () => {
    on = await routesToTry(lifetime)
  })
  after(async () => {
    for (const end of ends.toReversed()) await end()
  })

  const changing = routes.filter(({ method }) => method !== 'GET')
  const guarded = routes.filter(({ needs }) => needs !== 'anyone')

  test('a role may use exactly the routes whose permission it has', async () => {
    const [wrong, expected]: [string[], string[]] = [[], []]
    const version = await on.settings()
    for (const route of guarded) {
      for (const role of roleNames) {
        const { status, body } = await on.api.as(role, on.stopped(route))
        const isDenied = status === 403 && body.code === 'NOT_PERMITTED'
        const mayUse = route.needs === 'signed in' || permissionsOf(role).has(route.needs as never)
        if (isDenied === mayUse || status === 401) wrong.push(`${nameOfRoute(route)} as ${role}: ${status}`)
        if (isDenied) expected.push(`a-${role} ${nameOfRoute(route)}`)
      }
    }
    assert.deepEqual(wrong, [])
    assert.equal(await on.settings(), version, 'nothing was changed')
    assert.ok(expected.length > 0)
    assert.deepEqual(inOrder(await denials()), inOrder(expected), 'each denied attempt is in the access log')
  })

  async function denials(): Promise<string[]> {
    const { body } = await on.api.as('admin', { path: '/access-log?kind=denied&limit=1000' })
    return body.items.map(({ actor, action }: { actor: string; action: string }) =>
      `${actor} ${action}`.replace('operator:', ''),
    )
  }

  /** Questions that are sent by POST, because of what they ask about; and what everybody does with the own session. */
  const changesNothing = [/^POST \/find$/, /^POST \/partners\/\{partnerId\}\/caps\/try$/, / \/session(\/|$)/]

  test('a viewer can change nothing but the own session', async () => {
    const wrong: string[] = []
    for (const route of changing.filter(({ needs }) => needs !== 'anyone')) {
      if (changesNothing.some((name) => name.test(nameOfRoute(route)))) continue
      const { status } = await on.api.as('viewer', on.stopped(route))
      if (status !== 403) wrong.push(`${nameOfRoute(route)}: ${status}`)
    }
    assert.deepEqual(wrong, [])
  })

  test('a token may use exactly the routes of its scopes', async () => {
    const wrong: string[] = []
    const tokens = new Map<string, string>()
    for (const permission of permissionNames) tokens.set(permission, await on.api.token([permission]))
    for (const route of guarded) {
      if (route.needs === 'signed in') continue
      const others = permissionNames.filter((name) => name !== route.needs)
      const without = await on.api.token(others)
      const allowed = await on.api.byToken(tokens.get(route.needs)!, on.stopped(route))
      const denied = await on.api.byToken(without, on.stopped(route))
      if ([401, 403].includes(allowed.status))
        wrong.push(`${nameOfRoute(route)}: ${allowed.status} with its scope`)
      if (denied.status !== 403) wrong.push(`${nameOfRoute(route)}: ${denied.status} with all other scopes`)
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
        cookie: on.api.cookieOf('admin'),
      },
    }
    for (const route of guarded) {
      for (const [name, headers] of Object.entries(strangers)) {
        const { status, body } = await on.api.send({ ...on.stopped(route), headers })
        if (status !== 401 || body.code !== 'NOT_SIGNED_IN')
          wrong.push(`${nameOfRoute(route)} with ${name}: ${status}`)
      }
    }
    assert.deepEqual(wrong, [])
  })

  test('a changing request with a cookie is refused unless the console sent it', async () => {
    const good = {
      cookie: on.api.cookieOf('admin'),
      origin: consoleOrigin,
      'sec-fetch-site': 'same-origin',
      'x-csrf-token': on.api.csrfTokenOf('admin'),
    }
    const { 'x-csrf-token': _, ...withoutToken } = good
    const forged: Record<string, Record<string, string>> = {
      'no CSRF token': withoutToken,
      'an empty CSRF token': { ...good, 'x-csrf-token': '' },
      "another session's CSRF token": { ...good, 'x-csrf-token': on.api.csrfTokenOf('viewer') },
      'another origin': { ...good, origin: 'https://evil.example' },
      'an origin of null': { ...good, origin: 'null' },
      'another port': { ...good, origin: 'http://127.0.0.1:9999' },
      'another site, by Sec-Fetch-Site': { ...good, 'sec-fetch-site': 'cross-site' },
      'the same site, but another host': { ...good, 'sec-fetch-site': 'same-site' },
      'neither Origin nor Sec-Fetch-Site': { cookie: good.cookie, 'x-csrf-token': good['x-csrf-token'] },
    }
    const wrong: string[] = []
    const version = await on.settings()
    for (const route of changing.filter(({ needs }) => needs !== 'anyone')) {
      for (const [name, headers] of Object.entries(forged)) {
        const { status, body } = await on.api.send({ ...on.stopped(route), headers })
        if (status !== 403 || body.code !== 'CSRF_REFUSED')
          wrong.push(`${nameOfRoute(route)} with ${name}: ${status}`)
      }
      const { status } = await on.api.send({ ...on.stopped(route), headers: good })
      if (status === 403) wrong.push(`${nameOfRoute(route)} from the console: ${status}`)
    }
    assert.deepEqual(wrong, [])
    assert.equal(await on.settings(), version, 'nothing was changed')
    assert.ok(changing.length > 10)
  })
})
