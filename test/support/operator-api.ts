import assert from 'node:assert/strict'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { hashOfSecret, newSessionSecret, csrfTokenOf } from '../../src/operator/access/secrets.ts'
import { createToken } from '../../src/operator/access/tokens.ts'
import type { Permission, Role } from '../../src/operator/access/permissions.ts'
import { roleNames } from '../../src/operator/access/permissions.ts'
import type { ApiRoute } from '../../src/operator/api/route.ts'
import { routes } from '../../src/operator/api/routes.ts'
import { injectPassed } from '../../src/operator/api/thread/inject-passed.ts'
import type { NodeReadings } from '../../src/operator/api/thread/messages.ts'
import { openApi } from '../../src/operator/api/thread/open-api.ts'
import { openOperatorSessions, openStore } from '../../src/stores/open.ts'
import { anAccount, aSession, putAccount } from './operator-accounts.ts'
import type { Lifetime, TestService } from './service.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test says itself, by its assertions, what the body must be
export type ApiAnswer = { status: number; headers: Record<string, any>; body: any; text: string }

export type ApiRequest = {
  method?: string
  /** Below /operator/v1. */
  path: string
  body?: unknown
  headers?: Record<string, string>
}

/** The operator's API on the ledger of a service, in this thread, with an account for each role. */
export type TestApi = {
  /** By a browser: the cookie, the CSRF header and what browsers add themselves. */
  as(role: Role, request: ApiRequest): Promise<ApiAnswer>
  /** The same without one of these headers, or with others. */
  cookieOf(role: Role): string
  csrfTokenOf(role: Role): string
  /** With exactly these headers. */
  send(request: ApiRequest): Promise<ApiAnswer>
  /** A new token with these scopes. */
  token(scopes: Permission[]): Promise<string>
  byToken(secret: string, request: ApiRequest): Promise<ApiAnswer>
  /** What the main thread says of itself. */
  readings: NodeReadings
  failures: unknown[]
}

export const consoleOrigin = 'http://127.0.0.1:8081'

export async function anApi(
  test: Lifetime,
  { config, clock }: Pick<TestService, 'config' | 'clock'>,
): Promise<TestApi> {
  const failures: unknown[] = []
  const readings: NodeReadings = {
    startedAt: clock.now(),
    awardMs: { upTo: [], count: 0 },
    minutes: [],
    verifiedAt: null,
    notSoundAt: null,
    clockDifferenceMs: null,
    warnings: [],
  }
  const api = await openApi(config, {
    clock,
    readings: async () => readings,
    warn: () => {},
    onFailure: (error) => failures.push(error),
  })
  const store = await openStore(config.database)
  const sessions = await openOperatorSessions(config.database, () => {})
  test.after(async () => {
    await api.close()
    await sessions.close()
    await store.close()
  })
  const secrets = new Map<Role, string>()
  for (const role of roleNames) {
    const secret = newSessionSecret()
    secrets.set(role, secret)
    const now = clock.now()
    const account = anAccount({ operatorId: `a-${role}`, role, createdAt: now, sessionsFrom: now })
    await putAccount({ accounts: store.operators, sessions }, account)
    const session = { operatorId: `a-${role}`, sessionId: hashOfSecret(secret), createdAt: now, usedAt: now }
    await sessions.begin(aSession(session))
  }
  const cookieOf = (role: Role) => `partner-credit-session=${secrets.get(role)}`
  let requests = 0

  async function send({ method = 'GET', path, body, headers = {} }: ApiRequest): Promise<ApiAnswer> {
    const answer = await injectPassed(api.app, {
      method,
      url: `/operator/v1${path}`,
      headers: { host: '127.0.0.1:8081', ...(body === undefined ? {} : json), ...headers },
      body: body === undefined ? null : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
      address: '192.0.2.7',
      requestId: `request-${++requests}`,
      now: clock.now(),
    })
    const text = Buffer.from(answer.body).toString()
    const isJson = text !== '' && /json; /.test(String(answer.headers['content-type']))
    const read = {
      ...answer,
      text,
      body: isJson && !/ndjson/.test(String(answer.headers['content-type'])) ? JSON.parse(text) : null,
    }
    assertDeclared(method, path, read)
    return read
  }
  return {
    send,
    cookieOf,
    csrfTokenOf: (role) => csrfTokenOf(secrets.get(role)!),
    as: (role, request) => {
      const changes = request.method !== undefined && request.method !== 'GET'
      const headers = {
        cookie: cookieOf(role),
        'sec-fetch-site': 'same-origin',
        ...(changes ? { origin: consoleOrigin, 'x-csrf-token': csrfTokenOf(secrets.get(role)!) } : {}),
        ...request.headers,
      }
      return send({ ...request, headers })
    },
    async token(scopes) {
      const by = { actor: 'test', now: clock.now() }
      const token = { name: 'a script', scopes, expiresAt: clock.now() + 30 * 86_400_000, operatorId: null }
      return (await createToken({ accounts: store.operators, by }, token)).secret
    },
    byToken: (secret, request) =>
      send({ ...request, headers: { authorization: `Bearer ${secret}`, ...request.headers } }),
    readings,
    failures,
  }
}

const json = { 'content-type': 'application/json' }
const ajv = new Ajv2020({ strict: false, allErrors: true })
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

/** Every response has the form that the route declares; every error is a problem document. */
function assertDeclared(method: string, path: string, { status, headers, body }: ApiAnswer): void {
  if (status >= 400) {
    assert.equal(headers['content-type'], 'application/problem+json; charset=utf-8')
    assert.equal(body.status, status)
    assert.equal(typeof body.code, 'string')
    assert.ok(body.detail.length > 0)
    return
  }
  const route = routeOf(method, path)
  if (body === null || route?.response == null) return
  const isValid = ajv.validate(route.response, body)
  assert.ok(isValid, `${method} ${path}: ${ajv.errorsText()} in ${JSON.stringify(body)}`)
}

function routeOf(method: string, path: string): ApiRoute | undefined {
  const [plain = ''] = path.split('?', 1)
  return routes.find(
    (route) =>
      route.method === method && new RegExp(`^${route.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(plain),
  )
}
