import { deepEqual, equal, match, notEqual, ok, rejects } from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { after, beforeEach, describe, test } from 'node:test'
import { setPartnerRate } from '../../src/partners/set-partner-rate.ts'
import { eventually } from '../../test/support/eventually.ts'
import {
  ConnectionError,
  DailyCapExceededError,
  PartnerCredit,
  PartnerCreditError,
  RateLimitedError,
  UnavailableError,
  UnexpectedResponseError,
} from '../src/index.ts'
import { waitBeforeRetry } from '../src/wait-before-retry.ts'
import { type Fault, startFaultyProxy } from './faulty-proxy.ts'
import { anOrder, clientInTestTime, startLive } from './live-service.ts'

describe('temporary failures are retried', async () => {
  const { service, options } = await startLive({ after }, { CAP_PER_USER_DAY: '60' })
  const proxy = await startFaultyProxy({ after }, service.url)
  const viaProxy = { ...options, baseUrl: proxy.url }
  beforeEach(() => void proxy.seen.splice(0))

  const passing: Record<string, Fault> = {
    'a request that is lost': 'is lost',
    'an answer that is lost': 'is answered, and the answer is lost',
    'half an answer that is lost': 'is answered, and half of the answer is lost',
    'a 503 of the service': problem(503, 'UNAVAILABLE'),
    'a 500 of the service': problem(500, 'INTERNAL_ERROR'),
    'a 502 of a proxy': { status: 502, headers: { 'content-type': 'text/html' }, body: '<html>' },
    'a 504 without a word': { status: 504 },
    'a 429 of a proxy': { status: 429, body: 'slow down' },
    'a request that arrived too slowly': problem(408, 'INVALID_REQUEST'),
  }
  for (const [name, fault] of Object.entries(passing)) {
    test(`${name}: the order is credited once, by the same bytes, signed again`, async () => {
      const client = clientInTestTime(viaProxy, service)
      const order = anOrder()
      proxy.next(fault, fault)
      const { orderId, points } = await client.award(order)
      deepEqual({ orderId, points }, { orderId: order.orderId, points: 5 })
      const items = await Array.fromAsync(client.awards({ tenantId: 't1' }))
      equal(items.filter((item) => item.orderId === order.orderId).length, 1)

      const [first, second, third] = proxy.seen
      deepEqual([second?.body, third?.body], [first?.body, first?.body])
      for (const header of ['x-timestamp', 'x-signature', 'x-request-id']) {
        equal(new Set([first, second, third].map((one) => one?.headers[header])).size, 3, header)
      }
    })
  }

  test('an order that was credited before its response was lost is a duplicate', async () => {
    const client = clientInTestTime(viaProxy, service)
    proxy.next('is answered, and the answer is lost')
    equal((await client.award(anOrder())).duplicate, true)
    proxy.next('is lost')
    equal((await client.award(anOrder())).duplicate, false)
  })

  test('four times by default, each time after a longer wait; then the last failure is thrown', async () => {
    const client = clientInTestTime(viaProxy, service)
    proxy.next('is lost', 'is lost', 'is lost', 'is lost', { status: 502 })
    await rejects(client.award(anOrder()), (error) => {
      ok(error instanceof UnexpectedResponseError)
      deepEqual([error.attempts, error.retryable, error.status], [5, true, 502])
      return true
    })
    equal(proxy.seen.length, 5)
    deepEqual(client.waits, [188, 375, 750, 1500])
  })

  test('as often as `retries` says, which may be never', async () => {
    for (const retries of [0, 1]) {
      const client = clientInTestTime({ ...viaProxy, retries }, service)
      proxy.next(...Array<Fault>(retries + 1).fill('is lost'))
      await rejects(client.award(anOrder()), ConnectionError)
      equal(client.waits.length, retries)
    }
  })

  test('Retry-After is honored, in seconds and as a date', async () => {
    const client = clientInTestTime(viaProxy, service)
    const date = new Date(Math.ceil(service.clock.now() / 1000) * 1000 + 20_000)
    proxy.next(
      problem(503, 'UNAVAILABLE', { 'retry-after': '7' }),
      { status: 503, headers: { 'retry-after': date.toUTCString() } },
      { status: 503, headers: { 'retry-after': 'soon' } },
      { status: 503, headers: { 'retry-after': new Date(0).toUTCString() } },
    )
    await client.award(anOrder())
    equal(client.waits[0], 7000 + 188)
    ok(client.waits[1]! > 10_000 && client.waits[1]! <= 21_375, String(client.waits[1]))
    deepEqual(client.waits.slice(2), [750, 1500])
  })

  test('if the service asks for more than half a minute, the caller decides', async () => {
    const client = clientInTestTime(viaProxy, service)
    proxy.next(problem(503, 'UNAVAILABLE', { 'retry-after': '30' }))
    await client.award(anOrder())
    proxy.next(problem(503, 'UNAVAILABLE', { 'retry-after': '31' }))
    await rejects(client.award(anOrder()), (error) => {
      ok(error instanceof UnavailableError)
      deepEqual([error.retryable, error.retryAfterMs, error.attempts], [true, 31_000, 1])
      return true
    })
  })

  test('DAILY_CAP_EXCEEDED is never retried', async () => {
    const client = clientInTestTime(viaProxy, service)
    await rejects(client.award(anOrder({ amount: 61_000 })), (error) => {
      ok(error instanceof DailyCapExceededError)
      deepEqual([error.retryable, error.attempts, error.cap], [false, 1, 'perUserDay'])
      return true
    })
    equal(proxy.seen.length, 1)
  })

  const lasting: Record<string, Fault> = {
    'a redirect': { status: 307, headers: { location: `${proxy.url}/v1/ep/webhook` } },
    'a 404 of a proxy': { status: 404, body: 'not here' },
    'a refusal': problem(403, 'PARTNER_SUSPENDED'),
    'a code that is not known yet': problem(422, 'SOMETHING_NEW'),
  }
  for (const [name, fault] of Object.entries(lasting)) {
    test(`${name} is not retried`, async () => {
      const client = clientInTestTime(viaProxy, service)
      proxy.next(fault)
      await rejects(client.award(anOrder()), { retryable: false, attempts: 1 })
      equal(proxy.seen.length, 1)
    })
  }

  // The service refuses the changed one with a 401.
  const unsigned = 'is changed on the way'
  const outcomes: [name: string, faults: Fault[], mayBeCredited: boolean][] = [
    ['a lost response, then 401', ['is answered, and the answer is lost', unsigned], true],
    ['a 503, then 401', [problem(503, 'UNAVAILABLE'), unsigned], true],
    ['a lost response, then TENANT_NOT_ALLOWED', ['is lost', problem(403, 'TENANT_NOT_ALLOWED')], true],
    ['a lost response, then NOT_FOUND', ['is lost', problem(404, 'NOT_FOUND')], true],
    ['a lost response, then INVALID_REQUEST', ['is lost', problem(400, 'INVALID_REQUEST')], true],
    ['a lost response, a 408, then 401', ['is lost', problem(408, 'INVALID_REQUEST'), unsigned], true],
    ['a lost response, then PARTNER_SUSPENDED', ['is lost', problem(403, 'PARTNER_SUSPENDED')], false],
    ['a 503 that is thrown', [problem(503, 'UNAVAILABLE', { 'retry-after': '60' })], true],
    ['a 404 of a proxy', [{ status: 404, body: 'not here' }], true],
    ['a success that is no award', [{ status: 200, body: '{}' }], true],
    ['401 alone', [unsigned], false],
    ['RATE_LIMITED alone', [problem(429, 'RATE_LIMITED', { 'retry-after': '60' })], false],
    ['a 408 of the service, then 401', [problem(408, 'INVALID_REQUEST'), unsigned], false],
  ]
  for (const [name, faults, mayBeCredited] of outcomes) {
    test(`${name}: the error says that the order ${mayBeCredited ? 'may be credited' : 'was not credited by this call'}`, async () => {
      const client = clientInTestTime(viaProxy, service)
      proxy.next(...faults)
      const error = await client.award(anOrder()).catch((reason) => reason)
      ok(error instanceof PartnerCreditError, String(error))
      equal(error.mayBeCredited, mayBeCredited)
      equal(JSON.parse(JSON.stringify(error)).mayBeCredited, mayBeCredited)
      equal(proxy.seen.length, faults.length)
    })
  }

  test('a cap that refuses a retry says that the first attempt, without a response, credited nothing', async () => {
    const client = clientInTestTime(viaProxy, service)
    proxy.next('is answered, and the answer is lost')
    await rejects(client.award(anOrder({ amount: 61_000 })), (error) => {
      ok(error instanceof DailyCapExceededError)
      deepEqual([error.attempts, error.mayBeCredited], [2, false])
      return true
    })
  })

  test('a page of awards that failed credits nothing', async () => {
    const client = clientInTestTime(viaProxy, service)
    proxy.next('is lost', problem(404, 'NOT_FOUND'))
    await rejects(client.awards.page({ tenantId: 't1' }), { attempts: 2, mayBeCredited: false })
  })

  test('a service that is not there is a ConnectionError that says why', async () => {
    const baseUrl = await addressOfNobody()
    const client = clientInTestTime({ ...options, baseUrl, retries: 1 }, service)
    await rejects(client.award(anOrder()), (error) => {
      ok(error instanceof ConnectionError)
      notEqual(error.cause, undefined)
      deepEqual([error.attempts, error.status, error.code], [2, null, 'CONNECTION_FAILED'])
      match(error.message, /connection broke: ECONNREFUSED \(request [\w-]+\)$/)
      return error.message.includes(error.requestId!)
    })
  })

  test('RATE_LIMITED is retried when the service said so', async () => {
    const client = clientInTestTime(options, service)
    await service.operate((operator) => setPartnerRate(operator, 'acme', 2))
    await eventually('the service notices the rate', async () => {
      await client.award(anOrder())
      return client.waits.length > 0
    })
    equal(client.waits[0], 1000 + 188)

    const impatient = new PartnerCredit({ ...options, retries: 0 })
    const results = await Promise.allSettled([1, 2, 3].map(() => impatient.award(anOrder())))
    const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
    ok(reasons.length > 0)
    for (const reason of reasons) {
      ok(reason instanceof RateLimitedError)
      deepEqual([reason.retryable, reason.retryAfterMs], [true, 1000])
    }
  })
})

test('the wait doubles up to eight seconds, and half of it is random', () => {
  const waits = (random: number) =>
    [1, 2, 3, 4, 5, 6, 7, 60].map((retry) => waitBeforeRetry({ retry, retryAfterMs: null, random }))
  deepEqual(waits(0), [125, 250, 500, 1000, 2000, 4000, 4000, 4000])
  deepEqual(waits(1), [250, 500, 1000, 2000, 4000, 8000, 8000, 8000])
  equal(waitBeforeRetry({ retry: 1, retryAfterMs: 1000, random: 0 }), 1125, 'never earlier than asked')
})

async function addressOfNobody(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return `http://127.0.0.1:${port}`
}

function problem(status: number, code: string, headers: Record<string, string> = {}): Fault {
  return {
    status,
    headers: { 'content-type': 'application/problem+json; charset=utf-8', ...headers },
    body: JSON.stringify({ status, code, detail: 'said by the proxy', requestId: 'r' }),
  }
}
