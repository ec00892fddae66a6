import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { type Answer, send } from '../support/client.ts'
import { everyError, everyErrorCaps } from '../support/every-error.ts'
import { closedSchema, published, schemaCheck, step } from '../support/published-contract.ts'
import { headerLines, requestText, sendRaw } from '../support/raw-http.ts'
import { startService } from '../support/service.ts'

const operations = { award: ['/v1/ep/webhook', 'post'], history: ['/v1/ep/webhook/awards', 'get'] } as const
type Endpoint = keyof typeof operations

describe('every response of the service is one that the contract describes', async () => {
  const service = await startService({ after }, everyErrorCaps)
  const { acme, url } = service
  const seen = new Set<string>()

  function assertDescribed(endpoint: Endpoint, answer: Answer): void {
    const [path, method] = operations[endpoint]
    const { responses } = published.paths[path][method]
    const status = answer.status in responses ? String(answer.status) : 'default'
    seen.add(`${endpoint} ${status} ${answer.body.code ?? ''}`.trim())
    const { content, headers } = responses[status]
    const [type = ''] = (answer.headers.get('content-type') ?? '').split(';')
    ok(type in content, `${type} is not described`)
    const pointer = `/paths${step(path)}/${method}/responses/${status}`
    assertValid(closedSchema(`${pointer}/content${step(type)}/schema`), answer.body)
    for (const [name, header] of Object.entries<Header>(headers)) {
      const { schema, required } =
        '$ref' in header ? published.components.headers[header.$ref.split('/').at(-1)!] : header
      const text = answer.headers.get(name)
      if (text === null && !required) continue
      ok(text !== null, `the header ${name} is missing`)
      assertValid(schemaCheck(schema), schema.type === 'integer' ? Number(text) : text)
    }
  }

  test('an award, its repetition, and pages of history', async () => {
    const order = { orderId: 'first', note: 'Thank you', meta: { shop: 7 } }
    const again = { ...order, userEmail: 'ann@example.com', amount: 1999 }
    assertDescribed('award', await acme.award(again))
    assertDescribed('award', await acme.award(again))
    assertDescribed('history', await acme.history('t2'))
    await acme.award({ amount: 1000 })
    for (const query of ['', '&limit=1']) assertDescribed('history', await acme.history('t1', query))
  })

  test('what HTTP itself refuses', async () => {
    const raw = (endpoint: Endpoint, lines: string[], query = '') => {
      const [path, method] = operations[endpoint]
      return sendRaw(
        url,
        requestText(`${method.toUpperCase()} ${path}${query} HTTP/1.1`, ['Host: x', ...lines]),
      )
    }
    const many = Array.from({ length: 101 }, (_, index) => `X-${index}: 1`)
    for (const endpoint of ['award', 'history'] as const) {
      const answers = [
        await raw(endpoint, [], `?${'x'.repeat(8_192)}`),
        await raw(endpoint, many),
        await raw(endpoint, ['Expect: more']),
        await raw(endpoint, ['Content-Length: 65537']),
        await raw(endpoint, ['Content-Length: x']),
        await send(`${url}${operations[endpoint][0]}`, { method: 'DELETE' }),
        await send(`${url}${operations[endpoint][0]}/`),
      ]
      deepEqual(
        answers.map(({ status }) => status),
        [414, 431, 417, 413, 400, 405, 404],
      )
      for (const answer of answers) assertDescribed(endpoint, answer)
    }
    const body = ['Content-Length: 1', ...headerLines(acme.headers('t1'))]
    const [path] = operations.history
    const bodyOnGet = await sendRaw(
      url,
      requestText(`GET ${path}?tenantId=t1 HTTP/1.1`, ['Host: x', ...body], '1'),
    )
    match(bodyOnGet.text, /must be empty/)
    assertDescribed('history', bodyOnGet)
  })

  for (const [name, refusal] of Object.entries(everyError(service))) {
    test(`an error: ${name}`, async () => {
      const answer = await refusal()
      // An operation describes a response if it can send it: both send most of them, in the same form.
      if (describedAt('award', answer)) assertDescribed('award', answer)
      if (describedAt('history', answer)) assertDescribed('history', answer)
      ok(describedAt('award', answer) || describedAt('history', answer))
    })
  }

  test('the contract describes nothing that was not seen here, but for slow requests', () => {
    const described = Object.entries(operations).flatMap(([endpoint, [path, method]]) =>
      Object.entries<Response>(published.paths[path][method].responses).flatMap(([status, { content }]) =>
        codesOf(content).map((code) => `${endpoint} ${status} ${code}`.trim()),
      ),
    )
    const slow = ['award 408 INVALID_REQUEST', 'history 408 INVALID_REQUEST']
    deepEqual(new Set(described), seen.union(new Set(slow)))
  })
})

type Header = { $ref: string } | { schema: object }
type Response = { content: Record<string, { schema: { $ref?: string; oneOf?: { $ref: string }[] } }> }

function describedAt(endpoint: Endpoint, { status, body }: Answer): boolean {
  const [path, method] = operations[endpoint]
  const { responses } = published.paths[path][method]
  const response = responses[status] ?? ([404, 405].includes(status) ? responses.default : undefined)
  return response !== undefined && codesOf(response.content).includes(body.code)
}

/** The values that `code` can have; '' where there is none. */
function codesOf(content: Response['content']): string[] {
  return Object.values(content).flatMap(({ schema }) =>
    (schema.oneOf ?? [schema as { $ref: string }]).map(
      ({ $ref }) => published.components.schemas[$ref.split('/').at(-1)!].properties.code?.const ?? '',
    ),
  )
}

function assertValid(check: ReturnType<typeof closedSchema>, value: unknown): void {
  const valid = check(value)
  equal(valid, true, JSON.stringify({ value, errors: check.errors }, null, 1))
}
