import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ApiRoute } from '../../src/operator/api/route.ts'
import { routes } from '../../src/operator/api/routes.ts'
import { canary, inOrder, nameOfRoute, type RoutesToTry, routesToTry } from '../support/every-route.ts'
import type { ApiAnswer } from '../support/operator-api.ts'

/** Every declared route that only reads. Who may use it: src/operator/api/every-route.test.ts. */
const ends: (() => Promise<void> | void)[] = []
const lifetime = { after: (end: () => Promise<void> | void) => void ends.push(end) }

describe('what every declared route shows', () => {
  let on: RoutesToTry
  before(async () => {
    on = await routesToTry(lifetime)
  })
  after(async () => {
    for (const end of ends.toReversed()) await end()
  })

  test('a GET changes nothing', async () => {
    const version = await on.settings()
    for (const route of routes.filter(({ method }) => method === 'GET'))
      await on.api.as('admin', { path: on.pathOf(route) })
    assert.equal(await on.settings(), version)
  })

  /** With data in them: what a route shows of a person. */
  async function shownBy(role: 'viewer' | 'admin', route: ApiRoute): Promise<ApiAnswer | null> {
    const questions: Record<string, unknown> = {
      'POST /find': { text: 'order-of-canary' },
      'POST /users': { tenantId: 't1', email: canary.address },
      'POST /partners/{partnerId}/caps/try': { perPartnerDay: 1 },
    }
    const body = questions[nameOfRoute(route)]
    if (route.method !== 'GET' && body === undefined) return null
    const query = nameOfRoute(route) === 'GET /usage' ? '?users=true' : ''
    return on.api.as(role, {
      method: route.method,
      path: `${on.pathOf(route)}${query}`,
      ...(body === undefined ? {} : { body }),
    })
  }

  const isPersonal = ({ text }: ApiAnswer) => text.includes(canary.address) || text.includes(canary.note)

  test('a route shows addresses and notes only if it declares so, and then the read is in the access log', async () => {
    const wrong: string[] = []
    const shown: string[] = []
    for (const route of routes) {
      const answer = await shownBy('admin', route)
      if (answer === null || !isPersonal(answer)) continue
      shown.push(nameOfRoute(route))
      if (!route.personalData) wrong.push(`${nameOfRoute(route)} shows personal data and does not declare it`)
    }
    assert.deepEqual(wrong, [])
    assert.deepEqual(
      inOrder(shown),
      ['GET /awards/{epTransactionId}', 'GET /usage', 'GET /users/{tenantId}/{ref}', 'POST /find'],
      'the routes that show a person were reached',
    )
    const { body } = await on.api.as('admin', { path: '/access-log?kind=read&actor=operator:a-admin' })
    const logged = body.items.map(({ action }: { action: string }) => action)
    for (const name of shown) assert.ok(logged.includes(name), `${name} is in the access log`)
    assert.ok(!JSON.stringify(body).includes(canary.address), 'the access log has no addresses')
  })

  test('an award with an id that cannot be one is not found', async () => {
    for (const id of ['not-a-uuid', encodeURIComponent(canary.address)]) {
      const { status, body } = await on.api.as('viewer', { path: `/awards/${id}` })
      assert.equal(`${status} ${body.code}`, '404 NOT_FOUND', id)
    }
  })

  test('a viewer gets no address and no note from any route', async () => {
    const wrong: string[] = []
    for (const route of routes) {
      const answer = await shownBy('viewer', route)
      if (answer !== null && isPersonal(answer)) wrong.push(nameOfRoute(route))
    }
    assert.deepEqual(wrong, [])
    const { body } = await on.api.as('admin', { path: '/access-log?kind=read&actor=operator:a-viewer' })
    assert.deepEqual(body.items, [], 'a viewer has read nothing that is recorded')
  })
})
