import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { problems } from '../src/wire/problems/catalog.ts'
import { assertProblem } from './support/problem-assertions.ts'
import { send } from './support/client.ts'
import { docsPages } from './support/docs-pages.ts'
import { eventually } from './support/eventually.ts'
import { startService } from './support/service.ts'
import { errorVectors } from './support/vectors.ts'

/** Only the page that can send requests may do so, and only to its own origin. */
const policy = (path: string) =>
  `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src ${path === '/docs/reference' ? "'self'" : "'none'"}; form-action 'none'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'`
const codes = Object.keys(problems)
const pages = [...docsPages, ...codes.map((code) => `/docs/errors/${code}`)]

describe('the docs on the partner port', async () => {
  const { url, log } = await startService({ after }, {}, { nodes: 1 })
  const asBrowser = { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } }
  const get = (path: string) => send(`${url}${path}`, asBrowser)

  test('every page is HTML under the strict policy, and has no script or style of its own', async () => {
    for (const path of pages) {
      const { status, headers, text } = await get(path)
      assert.equal(status, 200, path)
      assert.equal(headers.get('content-type'), 'text/html; charset=utf-8')
      assert.equal(headers.get('content-security-policy'), policy(path), path)
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      assert.equal(headers.get('referrer-policy'), 'no-referrer')
      assert.doesNotMatch(text, /<script(?! type="module" src=)|<style|\son\w+=|\sstyle=|javascript:/i, path)
    }
  })

  test('every link of every page leads somewhere, to a place that exists, on this service', async () => {
    const seen = new Map<string, string>()
    const places: { from: string; to: URL }[] = []
    const open = [...pages]
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      const { status, text, headers } = await get(path)
      assert.equal(status, 200, path)
      seen.set(path, text)
      if (/^\/docs\/(examples|downloads)\//.test(path)) continue // a file to download, not a page
      const links = [...text.matchAll(/(?:href|src)="([^"]+)"|(?:from|import) '([^']+)'/g)]
        .map(([, attribute, specifier]) => attribute ?? specifier!)
        .filter((link) => !link.startsWith('data:'))
        .map((link) => new URL(link, `${url}${path}`))
      for (const link of links) {
        assert.equal(link.origin, url, `${path} → ${link}`)
        if (link.hash !== '') places.push({ from: path, to: link })
        if (!seen.has(link.pathname) && !open.includes(link.pathname)) open.push(link.pathname)
      }
      if (path.endsWith('.ts')) assert.equal(headers.get('content-type'), 'text/javascript; charset=utf-8')
    }
    for (const { from, to } of places) {
      assert.ok(
        seen.get(to.pathname)!.includes(`id="${to.hash.slice(1)}"`),
        `${from} → ${to.pathname}${to.hash}`,
      )
    }
    assert.ok(seen.has('/docs/scripts/doctor/diagnose.ts'), 'the debugger brings the doctor')
    assert.ok(seen.has('/openapi.json'), 'the reference leads to the document that it is made from')
    assert.doesNotMatch(log.join(''), /Warning/)
  })

  test('the log names the page, and not what many pages share', async () => {
    for (const path of ['/docs', '/docs/errors/NOT_FOUND', '/docs/scripts/clock.ts']) {
      const before = log.length
      await get(`${path}?from=elsewhere`)
      await eventually('it is in the log', () => log.length > before)
      assert.equal(JSON.parse(log.at(-1)!).route, path)
    }
  })

  test("where the debugger cannot run, it names the command of the partner's own command line", async () => {
    const { text } = await get('/docs/signature')
    const named = [...text.matchAll(/<code>([\w-]+) doctor<\/code>/g)].map(([, name]) => name)
    assert.deepEqual(named, ['partner-credit-cli', 'partner-credit-cli'])
  })

  test('the type of a problem is a page for browsers and plain text for others', async () => {
    for (const code of codes) {
      const [page, text] = await Promise.all([
        get(`/docs/errors/${code}`),
        send(`${url}/docs/errors/${code}`),
      ])
      const { status, title } = problems[code as keyof typeof problems]
      assert.match(page.text, new RegExp(`HTTP ${status}</p>\\s*<h1 class="code">${code}</h1>`))
      assert.equal(text.headers.get('content-type'), 'text/plain; charset=utf-8')
      assert.ok(text.text.startsWith(`${code} (HTTP ${status})\n\n${title}.\n`))
      for (const { headers } of [page, text]) assert.equal(headers.get('vary'), 'accept')
    }
  })

  test('the page of a code explains every member and header that comes with it', async () => {
    const always = new Set([
      'type',
      'title',
      'status',
      'code',
      'detail',
      'requestId',
      'content-type',
      'x-request-id',
    ])
    for (const { body, headers } of errorVectors) {
      const { text } = await get(`/docs/errors/${body.code}`)
      const own = [...Object.keys(body), ...Object.keys(headers)].filter((name) => !always.has(name))
      for (const name of own) {
        assert.match(text, new RegExp(`<code>${name}</code>`, 'i'), `${body.code}: ${name}`)
      }
    }
  })

  test('beside its pages there is nothing', async () => {
    for (const path of [
      '/docs/',
      '/docs/nothing',
      '/docs/*',
      '/docs/errors/',
      '/docs/errors/DUPLICATE',
      '/docs/scripts/config.ts',
      '/docs/scripts/doctor/..%2f..%2fconfig.ts',
    ]) {
      const before = log.length
      assertProblem(await send(`${url}${path}`), { status: 404, code: 'NOT_FOUND' })
      await eventually('it is in the log', () => log.length > before)
      assert.equal(JSON.parse(log.at(-1)!).route, null, path)
    }
    assertProblem(await send(`${url}/docs`, { method: 'POST' }), { status: 405, code: 'INVALID_REQUEST' })
  })
})
