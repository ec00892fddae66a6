import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, describe, test } from 'node:test'
import { problemCodes, problems } from '../../src/wire/problems/catalog.ts'
import { errorVectors } from '../../test/support/vectors.ts'
import * as sdk from '../src/index.ts'
import { startFaultyProxy } from './faulty-proxy.ts'
import { anOrder, startLive } from './live-service.ts'

const classes: Record<string, abstract new (...args: never[]) => sdk.PartnerCreditError> = {
  INVALID_REQUEST: sdk.InvalidRequestError,
  INVALID_SIGNATURE: sdk.InvalidSignatureError,
  TIMESTAMP_OUT_OF_RANGE: sdk.TimestampOutOfRangeError,
  TENANT_NOT_ALLOWED: sdk.TenantNotAllowedError,
  PARTNER_SUSPENDED: sdk.PartnerSuspendedError,
  NOT_FOUND: sdk.NotFoundError,
  ORDER_ID_CONFLICT: sdk.OrderIdConflictError,
  AMOUNT_BELOW_MIN: sdk.AmountBelowMinError,
  PER_TX_CAP_EXCEEDED: sdk.PerTxCapExceededError,
  DAILY_CAP_EXCEEDED: sdk.DailyCapExceededError,
  RATE_LIMITED: sdk.RateLimitedError,
  INTERNAL_ERROR: sdk.InternalServiceError,
  UNAVAILABLE: sdk.UnavailableError,
}

/** What every body has, and the SDK says in other words. */
const general = new Set(['type', 'title', 'status', 'code', 'detail', 'requestId'])

const everyError = new Set(
  'name message code status requestId retryable retryAfterMs sandbox attempts mayBeCredited'.split(' '),
)

/** Members that the service leaves out are null, so that they can be read without a question. */
const absent: Record<string, Record<string, unknown>> = {
  INVALID_REQUEST: { errors: [] },
  TIMESTAMP_OUT_OF_RANGE: { skewMs: null },
  DAILY_CAP_EXCEEDED: { used: null },
}

describe('errors', async () => {
  const { service, options, credit } = await startLive({ after }, { CAP_PER_TX: '100' })
  const proxy = await startFaultyProxy({ after }, service.url)
  const viaProxy = new sdk.PartnerCredit({ ...options, baseUrl: proxy.url, retries: 0 })

  for (const { name, status, retryable, headers, body } of errorVectors) {
    test(`${body.code}, ${name}: its own class, with the members of the code`, async () => {
      const answer = { status, headers, body: JSON.stringify(body) }
      // The clock is corrected once: it takes two such answers to give up.
      proxy.next(answer, ...(body.code === 'TIMESTAMP_OUT_OF_RANGE' ? [answer] : []))
      const error = await viaProxy.award(anOrder()).catch((reason) => reason)
      ok(
        error instanceof classes[body.code]! &&
          error instanceof sdk.PartnerCreditError &&
          error instanceof Error,
      )
      const { code, requestId } = error
      deepEqual(
        { code, status: error.status, requestId, retryable: error.retryable },
        {
          code: body.code,
          status,
          requestId: body.requestId,
          retryable,
        },
      )
      equal(error.retryAfterMs, 'retry-after' in headers ? Number(headers['retry-after']) * 1000 : null)
      const members = Object.entries(body).filter(([member]) => !general.has(member))
      const own = Object.entries(error.toJSON()).filter(([field]) => !everyError.has(field))
      deepEqual(Object.fromEntries(own), { ...absent[body.code], ...Object.fromEntries(members) })
      for (const word of [body.code, body.detail, String(status), body.requestId])
        ok(error.message.includes(word))
    })
  }

  test('the table in the README has every code of the catalog, with its class, status and members', () => {
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
    for (const code of problemCodes) {
      const { status, members } = problems[code]
      const [name, , statuses, listed] = cellsOf(readme, code)
      equal(name, `\`${classes[code]!.name}\``)
      equal(Number.parseInt(statuses!, 10), status, code)
      deepEqual(new Set(listed!.match(/\w+/g) ?? []), new Set(Object.keys(members)), code)
    }
  })

  test('every class has a name that survives a minifier, and is in the stack', () => {
    const failure = { status: 422, requestId: 'r', retryable: false, retryAfterMs: null, sandbox: false }
    const error = new sdk.AmountBelowMinError('too little', failure, { minimum: 1000 })
    equal(error.name, 'AmountBelowMinError')
    match(error.stack ?? '', /^AmountBelowMinError: too little\n/)
    for (const [name, value] of Object.entries(sdk)) {
      if (typeof value === 'function' && name.endsWith('Error')) equal(value.prototype.name, name)
    }
  })

  test('a broken rule is named in the message', async () => {
    await rejects(credit.award(anOrder({ userEmail: 'ann', orderId: 'x'.repeat(201) })), {
      name: 'InvalidRequestError',
      message:
        /orderId must have 1 to 200 characters; userEmail must have the form name@domain \(HTTP 400, request/,
    })
    await rejects(credit.awards.page({ tenantId: 't1', cursor: 'abc' }), {
      message: /cursor must be a nextCursor of this partner and tenant, unchanged/,
    })
  })

  test('a signature that does not match is explained by what arrived', async () => {
    proxy.next('is changed on the way')
    const order = anOrder({ note: '🎉' })
    const bytes = Buffer.byteLength(JSON.stringify(order))
    await rejects(new sdk.PartnerCredit({ ...options, baseUrl: proxy.url }).award(order), {
      name: 'InvalidSignatureError',
      bodyBytes: bytes + 1,
      message: new RegExp(`${bytes} bytes were sent: something on the way changes the body\\.$`),
    })
    const wrong = new sdk.PartnerCredit({ ...options, signingSecret: 'pcs_wrong' })
    const asSent = /The request arrived as it was sent: key and secret do not belong together, or/
    await rejects(wrong.award(order), { name: 'InvalidSignatureError', bodyBytes: bytes, message: asSent })
    await rejects(wrong.awards({ tenantId: 't1' }).next(), { bodyBytes: 0, message: asSent })
  })

  test('the service itself: conflicts, caps, tenants, keys, paths', async () => {
    const order = anOrder()
    const { epTransactionId } = await credit.award(order)
    await rejects(credit.award({ ...order, amount: 6000 }), {
      differs: ['amount'],
      epTransactionId,
      status: 409,
    })
    await rejects(credit.award(anOrder({ amount: 999 })), { code: 'AMOUNT_BELOW_MIN', minimum: 1000 })
    await rejects(credit.award(anOrder({ amount: 101_000 })), { limit: 100, requested: 101 })
    await rejects(credit.award(anOrder({ tenantId: 't9' })), sdk.TenantNotAllowedError)
    await rejects(credit.awards({ tenantId: 't9' }).next(), sdk.TenantNotAllowedError)
    const wrong = new sdk.PartnerCredit({ ...options, signingSecret: 'pcs_wrong' })
    await rejects(wrong.award(order), sdk.InvalidSignatureError)
    const astray = new sdk.PartnerCredit({ ...options, baseUrl: `${service.url}/elsewhere` })
    await rejects(astray.award(order), sdk.NotFoundError)
  })

  const foreign: Record<
    string,
    [answer: { status: number; headers?: Record<string, string>; body?: string }, RegExp]
  > = {
    'a page of a proxy': [
      { status: 403, headers: { 'content-type': 'text/html; charset=utf-8' }, body: '<html>pck_</html>' },
      /^the answer \(text\/html\) is not one of the service's errors.*\(HTTP 403, request [\w-]+\)$/,
    ],
    'a redirect': [
      { status: 301, headers: { location: 'https://example.com' } },
      /redirect, which is not followed with your key: correct baseUrl/,
    ],
    'a code that is not known yet': [
      { status: 422, body: '{"code":"SOMETHING_NEW","detail":"x"}' },
      /with the code SOMETHING_NEW/,
    ],
    'a code without its members': [
      { status: 422, body: '{"code":"PER_TX_CAP_EXCEEDED","detail":"x","limit":"5"}' },
      /with the code PER_TX_CAP_EXCEEDED/,
    ],
    'a code that is a name of every object': [
      { status: 400, body: '{"code":"toString","detail":"x"}' },
      /400/,
    ],
    'broken rules that are none': [
      { status: 400, body: '{"code":"INVALID_REQUEST","detail":"x","errors":[null]}' },
      /with the code INVALID_REQUEST/,
    ],
    'JSON that is no object': [{ status: 400, body: 'null' }, /no content type/],
  }
  for (const [name, [answer, message]] of Object.entries(foreign)) {
    test(`what is not the service's own error is an UnexpectedResponseError: ${name}`, async () => {
      proxy.next(answer)
      await rejects(viaProxy.award(anOrder()), (error) => {
        ok(error instanceof sdk.UnexpectedResponseError)
        match(error.message, message)
        equal(error.status, answer.status)
        return true
      })
    })
  }
})

/** The cells of a code's row. */
function cellsOf(readme: string, code: string): string[] {
  const row = readme.split('\n').find((line) => line.startsWith('|') && line.includes(`\`${code}\``)) ?? ''
  return row
    .split('|')
    .slice(1)
    .map((cell) => cell.trim())
}
