import { equal } from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, describe, test } from 'node:test'
import { anAwardBody } from '../support/client.ts'
import {
  assertProblem,
  assertRefused,
  assertSoundAndDiscreet,
  privateFields,
} from '../support/problem-assertions.ts'
import { headerLines, requestText, sendRaw } from '../support/raw-http.ts'
import { startService } from '../support/service.ts'

const service = await startService({ after })
const { acme, url } = service
await acme.award(privateFields)

const award = '/v1/ep/webhook'
const history = '/v1/ep/webhook/awards'

/** A request that is valid and signed, except for its method and target. */
function send(method: string, target: string) {
  const body = method === 'POST' ? JSON.stringify(anAwardBody(privateFields)) : ''
  const headers = {
    Host: 'localhost',
    Connection: 'close',
    ...acme.headers(method === 'POST' ? body : 't1'),
    ...(body === '' ? {} : { 'Content-Type': 'application/json', 'Content-Length': String(body.length) }),
  }
  return sendRaw(url, requestText(`${method} ${target} HTTP/1.1`, headerLines(headers), body))
}

describe('a path that is not ours byte for byte is 404 NOT_FOUND', () => {
  const cases: [string, method: string, target: string][] = [
    ['unknown path', 'POST', '/v1/ep/webhooks'],
    ['root', 'GET', '/'],
    ['another version', 'POST', '/v2/ep/webhook'],
    ['trailing slash on the award', 'POST', `${award}/`],
    ['trailing slash on the history', 'GET', `${history}/?tenantId=t1`],
    ['other case', 'POST', '/v1/EP/webhook'],
    ['other case of the history', 'GET', '/v1/ep/webhook/Awards?tenantId=t1'],
    ['doubled slash inside', 'POST', '/v1//ep/webhook'],
    ['doubled slash in front', 'POST', '//v1/ep/webhook'],
    ['encoded dots', 'POST', '/v1/ep/awards/%2e%2e/webhook'],
    ['encoded dots at the front', 'GET', `/%2e%2e${history}?tenantId=t1`],
    ['plain dots', 'POST', '/v1/ep/awards/../webhook'],
    ['encoded letter', 'POST', '/v1/ep/webhoo%6b'],
    ['encoded slash', 'GET', '/v1/ep/webhook%2fawards?tenantId=t1'],
    ['fragment', 'POST', `${award}#private`],
    ['semicolon', 'POST', `${award};private=1`],
    ['absolute-form award', 'POST', `http://localhost${award}`],
    ['absolute-form history', 'GET', `http://localhost${history}?tenantId=t1`],
    ['undecodable %zz', 'GET', '/private%zz'],
    ['undecodable %ff under a known path', 'POST', `${award}/%ff`],
    ['cut-off escape', 'POST', `${award}%`],
    ['asterisk-form', 'OPTIONS', '*'],
    ['other method on an unknown path', 'DELETE', '/v1/ep'],
  ]
  for (const [what, method, target] of cases) {
    test(`${what}: ${method} ${target}`, async () => {
      await assertRefused(service, { status: 404, code: 'NOT_FOUND' }, () => send(method, target))
    })
  }

  test('CONNECT opens no tunnel', async () => {
    const answer = await send('CONNECT', 'localhost:443')
    assertProblem(answer, { status: 404, code: 'NOT_FOUND' })
    equal(answer.closed, true)
  })

  test('a CONNECT that is reset at once harms no other connection', async () => {
    const { hostname, port } = new URL(url)
    for (let attempt = 1; attempt <= 3; attempt++) {
      const socket = connect(Number(port), hostname)
      await once(socket, 'connect')
      socket.write('CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n', () => socket.resetAndDestroy())
      await once(socket, 'close')
    }
    equal((await fetch(`${url}/livez`)).status, 200)
  })
})

describe('another method on a known path is 405 with Allow and without CORS headers', () => {
  const cases: [target: string, allow: string, methods: string[]][] = [
    [award, 'POST', ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']],
    [`${history}?tenantId=t1`, 'GET', ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']],
    ['/livez', 'GET', ['POST', 'OPTIONS']],
    ['/openapi.json', 'GET, HEAD', ['POST', 'OPTIONS']],
    ['/readyz', 'GET', ['POST']],
  ]
  for (const [target, allow, methods] of cases) {
    for (const method of methods) {
      test(`${method} ${target}`, async () => {
        const expected = { status: 405, code: 'INVALID_REQUEST' }
        const { headers } = await assertRefused(service, expected, () => send(method, target))
        equal(headers.get('allow'), allow)
      })
    }
    if (allow.includes('HEAD')) continue
    test(`HEAD ${target} has the same head and no body`, async () => {
      const before = await service.dump()
      const { status, headers, text } = await send('HEAD', target)
      equal(status, 405)
      equal(headers.get('allow'), allow)
      equal(headers.get('content-type'), 'application/problem+json; charset=utf-8')
      equal(headers.has('x-request-id'), true)
      equal(text, '')
      equal(await service.dump(), before)
    })
  }

  test('a preflight gets no permission', async () => {
    const lines = ['Host: localhost', 'Connection: close', 'Origin: https://shop.example']
    const asked = [...lines, 'Access-Control-Request-Method: POST']
    const { status, headers } = await sendRaw(url, requestText(`OPTIONS ${award} HTTP/1.1`, asked))
    equal(status, 405)
    equal([...headers.keys()].filter((name) => name.startsWith('access-control')).length, 0)
  })
})

test('afterwards the ledger is sound and the log holds nothing private', () =>
  assertSoundAndDiscreet(service))
