import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { send } from './support/client.ts'
import { assertProblem } from './support/problem-assertions.ts'
import { requestText, sendRaw } from './support/raw-http.ts'
import { startService } from './support/service.ts'

const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

describe('browsers get pages, programs get problem+json', async () => {
  const { url, operatorUrl } = await startService({ after }, {}, { nodes: 1 })
  const browse = (at: string, path: string, method = 'GET') =>
    send(`${at}${path}`, { method, headers: { Accept: accept }, redirect: 'manual' })
  const raw = (at: string, line: string, ...headers: string[]) =>
    sendRaw(at, requestText(line, ['Host: localhost', ...headers]), { quietMs: 100 })

  for (const [path, target] of [
    ['/', '/docs'],
    ['/?utm=1', '/docs'],
    ['/docs/', '/docs'],
    ['/docs/errors/', '/docs/errors'],
  ] as const) {
    test(`a browser at ${path} is led to ${target}`, async () => {
      const { status, headers } = await browse(url, path)
      deepEqual([status, headers.get('location')], [302, target])
      equal((await browse(url, target)).status, 200)
    })
  }

  for (const path of [
    '/nothing',
    '/docs/nothing',
    '//docs/',
    '//example.com/',
    '/doctor',
    '/livez/x',
    '/V1/ep/webhook',
  ]) {
    test(`a browser at ${path} gets a page that helps, with status 404`, async () => {
      for (const at of [url, operatorUrl]) {
        const { status, headers, text } = await raw(at, `GET ${path} HTTP/1.1`, `Accept: ${accept}`)
        equal(status, 404)
        equal(headers.get('content-type'), 'text/html; charset=utf-8')
        match(headers.get('content-security-policy')!, /^default-src 'none'/)
        ok(headers.has('x-request-id'))
        match(text, /<h1>There is no page here<\/h1>/)
        match(text, at === url ? /href="\/docs\/reference"/ : /href="\/"/)
        ok(!text.includes(path), 'what a stranger puts into a link is not repeated')
      }
    })
  }

  test('a path that cannot be decoded is a page for a browser, and ends the connection as before', async () => {
    const page = await raw(url, 'GET /%zz HTTP/1.1', `Accept: ${accept}`)
    equal(page.status, 404)
    match(page.text, /There is no page here/)
    equal(page.closed, true)
    const problem = await raw(url, 'GET /%zz HTTP/1.1')
    assertProblem(problem, { status: 404, code: 'NOT_FOUND' })
    equal(problem.closed, true)
  })

  test("the operator's URL is the console, and each link of its document leads to a file", async () => {
    const { status, headers, text } = await browse(operatorUrl, '/')
    equal(status, 200)
    equal(headers.get('content-type'), 'text/html; charset=utf-8')
    match(
      headers.get('content-security-policy')!,
      /^default-src 'none'; script-src 'self'; style-src 'self';/,
    )
    const links = [...text.matchAll(/(?:href|src)="(\/[^"]*)"/g)].map(([, link]) => link!)
    ok(links.includes('/livez') && links.includes('/readyz') && links.includes('/metrics'))
    for (const link of links) equal((await browse(operatorUrl, link)).status, 200, link)
    doesNotMatch(text, /<script>|<style|style="| on\w+="/, 'nothing that the policy would refuse')
  })

  for (const path of ['/partners', '/partners/acme', '/find?q=1', '/users/t1?ref=x', '/sign-in']) {
    test(`a browser at ${path} of the operator's port gets the console, a program problem+json`, async () => {
      const { status, text } = await browse(operatorUrl, path)
      equal(status, 200)
      match(text, /<div id="console"><\/div>/)
      assertProblem(await send(`${operatorUrl}${path}`), { status: 404, code: 'NOT_FOUND', port: 'operator' })
    })
  }

  test('a file of the console comes compressed, and not again while it is the same', async () => {
    const [script] = (await browse(operatorUrl, '/')).text.match(/\/console\/[^"]*main\.ts/)!
    const first = await fetch(`${operatorUrl}${script}`, { headers: { 'Accept-Encoding': 'gzip' } })
    deepEqual([first.status, first.headers.get('content-encoding')], [200, 'gzip'])
    match(await first.text(), /^import /)
    const etag = first.headers.get('etag')!
    const again = await fetch(`${operatorUrl}${script}`, { headers: { 'If-None-Match': etag } })
    deepEqual([again.status, await again.text()], [304, ''])
    const plain = await fetch(`${operatorUrl}${script}`, { headers: { 'Accept-Encoding': 'identity' } })
    deepEqual([plain.status, plain.headers.get('content-encoding')], [200, null])
  })

  for (const path of ['/', '/docs/', '/nothing', '/v1', '/v1/', '/v1/ep/webhook/']) {
    test(`a program at ${path} gets problem+json`, async () => {
      for (const [at, port] of [
        [url, 'partner'],
        [operatorUrl, 'operator'],
      ] as const) {
        for (const headers of [{}, { Accept: '*/*' }, { Accept: 'application/json, text/plain, */*' }]) {
          const answer = await send(`${at}${path}`, { headers, redirect: 'manual' })
          assertProblem(answer, { status: 404, code: 'NOT_FOUND', port })
        }
        for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
          const answer = await send(`${at}${path}`, { method, headers: { Accept: accept } })
          assertProblem(answer, { status: 404, code: 'NOT_FOUND', port })
        }
      }
    })
  }

  test('what is under /v1 is JSON for browsers, too', async () => {
    for (const path of ['/v1', '/v1/', '/v1?x', '/v1/nothing', '/v1/ep/webhook/'])
      assertProblem(await browse(url, path), { status: 404, code: 'NOT_FOUND' })
    assertProblem(await browse(url, '/v1/ep/webhook'), { status: 405, code: 'INVALID_REQUEST' })
    const { body } = await browse(url, '/v1/ep/webhook/awards?tenantId=t1')
    equal(body.code, 'INVALID_SIGNATURE')
  })

  test('HEAD of a page, or of a file that the pages link to, is its head, and the next response on the connection is whole', async () => {
    for (const path of [
      '/docs',
      '/docs/reference',
      '/docs/errors',
      '/docs/errors/NOT_FOUND',
      '/docs/style.css',
      '/openapi.json',
      '/',
      '/nothing',
    ]) {
      const [page, head] = await Promise.all([browse(url, path), browse(url, path, 'HEAD')])
      equal(head.status, page.status, path)
      equal(head.text, '')
      if (page.text !== '') equal(head.headers.get('content-length'), page.headers.get('content-length'))
      for (const name of ['content-type', 'content-security-policy', 'location', 'vary'])
        equal(head.headers.get(name), page.headers.get(name), `${path}: ${name}`)
    }
    const heads = Array.from({ length: 5 }, () => requestText('HEAD /docs HTTP/1.1', ['Host: a'])).join('')
    const { text } = await sendRaw(
      url,
      `${heads}${requestText('GET /livez HTTP/1.1', ['Host: a', 'Connection: close'])}`,
    )
    equal([...text.matchAll(/^HTTP\/1\.1 200/gm)].length, 5, 'five more after the first')
    doesNotMatch(text, /<html/)
    match(text, /{"status":"live"}$/)
  })

  test('HEAD with a body cannot smuggle a request, and no page takes another method', async () => {
    const smuggled = requestText('GET /livez HTTP/1.1', ['Host: a'])
    const lines = ['Host: a', `Content-Length: ${smuggled.length}`]
    const { status, text } = await sendRaw(url, requestText('HEAD /docs HTTP/1.1', lines, smuggled), {
      quietMs: 200,
    })
    equal(status, 200)
    doesNotMatch(text, /live/)
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const answer = await browse(url, '/docs', method)
      assertProblem(answer, { status: 405, code: 'INVALID_REQUEST' })
      equal(answer.headers.get('allow'), 'GET, HEAD')
    }
  })

  test('the largest Accept is read in no time and decides nothing by accident', async () => {
    const long = `${'a/b;q=0.1,'.repeat(1_400)}text/html`
    const { status } = await send(`${url}/nothing`, { headers: { Accept: long } })
    equal(status, 404)
  })
})
