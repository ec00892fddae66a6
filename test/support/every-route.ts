import type { ApiRoute } from '../../src/operator/api/route.ts'
import { type ApiRequest, anApi, type TestApi } from './operator-api.ts'
import { type Lifetime, startService, type TestService } from './service.ts'

/** Personal data that no response may have by accident. */
export const canary = { address: 'canary.address@example.com', note: 'canary note' }

/** The API of a service that has something to show on every route. */
export type RoutesToTry = {
  service: TestService
  api: TestApi
  /** With the ids of what there is. */
  pathOf(route: ApiRoute): string
  /** It reaches the check of the body, and is refused there: so it shows that the sender may do it, and does nothing. */
  stopped(route: ApiRoute): ApiRequest
  settings(): Promise<string>
}

export async function routesToTry(test: Lifetime): Promise<RoutesToTry> {
  const service = await startService(test)
  const api = await anApi(test, service)
  const { acme, operate } = service
  const { address: userEmail, note } = canary
  const { body } = await acme.award({ orderId: 'order-of-canary', userEmail, note })
  const refused = await acme.award({ amount: 1, userEmail, note })
  await service.lookNow()
  const found = await api.as('admin', {
    method: 'POST',
    path: '/users',
    body: { tenantId: 't1', email: userEmail },
  })
  const ids: Record<string, string> = {
    partnerId: 'acme',
    tenantId: 't1',
    epTransactionId: body.epTransactionId,
    requestId: refused.body.requestId,
    ref: found.body.ref,
  }
  const pathOf = ({ path }: ApiRoute) =>
    path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? 'x'))
  return {
    service,
    api,
    pathOf,
    stopped: (route) => ({
      method: route.method,
      path: pathOf(route),
      ...(route.method === 'GET' ? {} : { body: 'not JSON' }),
    }),
    settings: () => operate(async ({ store }) => JSON.stringify(await store.settingsVersion(null))),
  }
}

export const nameOfRoute = ({ method, path }: ApiRoute) => `${method} ${path}`

export function inOrder(names: string[]): string[] {
  return names.toSorted((a, b) => (a < b ? -1 : 1))
}
