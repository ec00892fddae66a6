import { deepEqual, throws } from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, test } from 'node:test'
import { createContext, runInContext } from 'node:vm'
import { send } from '../support/client.ts'
import { startService } from '../support/service.ts'
import { signatureVectors } from '../support/vectors.ts'

/** A request as a tool has it when its script begins: variables not yet filled in. */
type Draft = { method: string; url: string; body: string | null; variables: Record<string, string> }
type Signed = { url: string; headers: Record<string, string>; body: string | null }

/** The committed script, run with the objects that the tool provides, at a given time. */
type Tool = { requests: Omit<Draft, 'variables'>[]; sign(draft: Draft, now: number): Signed }

const folder = new URL('../../contract/collections/', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, folder), 'utf8')
const require = createRequire(import.meta.url)

const tools: Record<string, Tool> = { Postman: postman(), Bruno: bruno() }

for (const [name, { requests, sign }] of Object.entries(tools)) {
  describe(`the collection for ${name}`, () => {
    // These tools send text; their clocks give numbers.
    const vectors = signatureVectors.filter(
      ({ payload, timestamp }) => payload !== undefined && Number.isSafeInteger(Number(timestamp)),
    )
    for (const { name, endpoint, signingSecret, timestamp, payload, times, signature } of vectors) {
      test(`signs the contract's ${endpoint}: ${name}`, () => {
        const text = payload!.repeat(times)
        const url = `http://x/y?limit=5&tenantId=${encodeURIComponent(text)}`
        const variables = { signingSecret, apiKey: 'pck_example' }
        const draft =
          endpoint === 'award'
            ? { method: 'POST', url: 'http://x/y', body: text, variables }
            : { method: 'GET', url, body: null, variables }
        const { headers } = sign(draft, Number(timestamp))
        deepEqual(headers, { 'X-Api-Key': 'pck_example', 'X-Timestamp': timestamp, 'X-Signature': signature })
      })
    }

    test('makes an award, repeats it and lists it', async (t) => {
      const { acme, url, clock } = await startService(t)
      const { apiKey, signingSecret } = acme
      const variables = { baseUrl: url, tenantId: 't1', apiKey, signingSecret }
      const answers = []
      for (const request of [requests[0]!, ...requests]) {
        const { url, headers, body } = sign({ ...request, variables }, clock.now())
        const init = {
          method: request.method,
          headers: { 'Content-Type': 'application/json', ...headers },
          body,
        }
        answers.push(await send(url, init))
      }
      deepEqual(
        answers.map(({ status, body }) => [status, body.points ?? body.items.length]),
        [
          [202, 5],
          [200, 5],
          [200, 1],
        ],
      )
    })
  })
}

test('in Postman a dynamic variable in the body is refused: it would be sent with another value', () => {
  const draft = { method: 'POST', url: 'http://x/y', body: '{"orderId":"{{$guid}}"}', variables: {} }
  throws(() => tools.Postman!.sign(draft, 1), /dynamic variable/)
})

function postman(): Tool {
  const { event, item } = JSON.parse(read('partner-credit.postman_collection.json'))
  const script = event[0].script.exec.join('\n')
  return {
    requests: item.map(({ request: { method, url, body } }: PostmanItem) => ({
      method,
      url: url.raw,
      body: body?.raw ?? null,
    })),
    sign({ method, url, body, variables }, now) {
      const headers = new Map<string, string>()
      const filled = (text: string) => fillIn(text, variables)
      const pm = {
        request: {
          method,
          body: body === null ? undefined : { raw: body },
          url: { query: { get: (name: string) => new Map(queryOf(url)).get(name) } },
          headers: {
            upsert: ({ key, value }: { key: string; value: string }) => headers.set(key, value),
          },
        },
        variables: { get: (name: string) => variables[name], replaceIn: filled },
      }
      // The sandbox has its own CryptoJS, whose name is taken.
      run('const CryptoJS = {}', script, { pm }, now)
      return {
        url: filled(url),
        headers: Object.fromEntries(headers),
        body: body === null ? null : filled(body),
      }
    },
  }
}

type PostmanItem = { request: { method: string; url: { raw: string }; body?: { raw: string } } }

function bruno(): Tool {
  const script = partOf(read('bruno/collection.bru'), 'script:pre-request')!
  const files = readdirSync(new URL('bruno/', folder)).filter((file) => / .*\.bru$/.test(file))
  return {
    requests: files.map((file) => {
      const text = read(`bruno/${file}`)
      const method = partOf(text, 'post') === null ? 'GET' : 'POST'
      const url = /^url: (.*)$/m.exec(partOf(text, method.toLowerCase())!)![1]!
      return { method, url, body: partOf(text, 'body:json') }
    }),
    sign({ method, url, body, variables }, now) {
      const headers = new Map<string, string>()
      let sent = body
      const filled = (text: string) => fillIn(text, variables)
      const req = {
        getMethod: () => method,
        getUrl: () => url,
        getBody: ({ raw }: { raw: boolean }) => (raw ? body : JSON.parse(body!)),
        setBody: (text: string) => {
          sent = text
        },
        setHeader: (name: string, value: string) => headers.set(name, value),
      }
      run('', script, { req, bru: { interpolate: filled } }, now)
      return { url: filled(url), headers: Object.fromEntries(headers), body: sent }
    },
  }
}

function run(before: string, script: string, objects: object, now: number): void {
  const context = createContext({ ...objects, require, Date: { now: () => now } })
  runInContext(before, context)
  runInContext(script, context)
}

function fillIn(text: string, variables: Record<string, string>): string {
  return text.replace(/\{\{(\w+)\}\}/g, (_, name) => variables[name]!)
}

function queryOf(url: string): [string, string][] {
  return [...url.matchAll(/[?&]([^=]+)=([^&]*)/g)].map(([, name, value]) => [name!, value!])
}

/** A block of Bruno's language, without its indentation. */
function partOf(text: string, name: string): string | null {
  const found = new RegExp(`^${name} \\{\\n(.*?)\\n\\}$`, 'ms').exec(text)
  return found === null ? null : found[1]!.replace(/^ {2}/gm, '')
}
