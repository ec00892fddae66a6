import { createHash } from 'node:crypto'
import { deepEqual, equal, match } from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { sign } from '../../src/access/signature.ts'
import { anAwardBody, createClient } from '../support/client.ts'
import { assertRefused, assertSoundAndDiscreet, privateFields } from '../support/problem-assertions.ts'
import { headerLines, requestText, sendRaw } from '../support/raw-http.ts'
import { startService } from '../support/service.ts'

const service = await startService({ after })
const { acme, globex, url, clock } = service
await acme.award(privateFields)

const invalidSignature = { status: 401, code: 'INVALID_SIGNATURE' }
const outOfRange = { status: 401, code: 'TIMESTAMP_OUT_OF_RANGE' }
const { apiKey, signingSecret } = acme
const now = String(clock.now())
const body = JSON.stringify(anAwardBody(privateFields))
const signature = sign(signingSecret, now, body)
const good = { 'X-Api-Key': apiKey, 'X-Timestamp': now, 'X-Signature': signature }

/** The award or a history request with exactly these authentication headers. */
function award(lines: string[], content = body) {
  const head = ['Host: localhost', 'Connection: close', 'Content-Type: application/json', ...lines]
  const all = [...head, `Content-Length: ${Buffer.byteLength(content)}`]
  return sendRaw(url, requestText('POST /v1/ep/webhook HTTP/1.1', all, content))
}
function history(lines: string[]) {
  const all = ['Host: localhost', 'Connection: close', ...lines]
  return sendRaw(url, requestText('GET /v1/ep/webhook/awards?tenantId=t1 HTTP/1.1', all))
}
const awardWith = (headers: Partial<typeof good>) => award(headerLines({ ...good, ...headers }))

describe('a header of the authentication that is not there once, in plain text, is 401 INVALID_SIGNATURE', () => {
  const historyHeaders = { ...acme.headers('t1') }
  for (const name of ['X-Api-Key', 'X-Timestamp', 'X-Signature'] as const) {
    const cases: [string, (headers: Record<string, string>) => string[]][] = [
      ['missing', ({ [name]: _, ...rest }) => headerLines(rest)],
      ['empty', (headers) => headerLines({ ...headers, [name]: '' })],
      ['blank', (headers) => headerLines({ ...headers, [name]: ' \t ' })],
      ['repeated', (headers) => [...headerLines(headers), `${name}: ${headers[name]}`]],
      ['repeated, once empty', (headers) => [...headerLines(headers), `${name}: `]],
      ['not ASCII', (headers) => headerLines({ ...headers, [name]: `${headers[name]}\xe9` })],
      ['with a tab inside', (headers) => headerLines({ ...headers, [name]: `a\t${headers[name]}` })],
    ]
    for (const [what, lines] of cases) {
      test(`${name} ${what}`, async () => {
        await assertRefused(service, invalidSignature, () => award(lines(good)))
        await assertRefused(service, invalidSignature, () => history(lines(historyHeaders)))
      })
    }
  }
})

describe('a key or a signature that does not fit is 401 INVALID_SIGNATURE', () => {
  const parsed = JSON.parse(body)
  const reordered = JSON.stringify(Object.fromEntries(Object.entries(parsed).reverse()))
  const over = (text: string) => ({ 'X-Signature': sign(signingSecret, now, text) })
  const cases: [string, Partial<typeof good>][] = [
    ['unknown key', { 'X-Api-Key': 'pck_unknown' }],
    ['over-long key', { 'X-Api-Key': `pck_${'a'.repeat(10_000)}` }],
    ['key in another case', { 'X-Api-Key': apiKey.toUpperCase() }],
    ["another partner's key", { 'X-Api-Key': globex.apiKey }],
    ["another partner's secret", { 'X-Signature': sign(globex.signingSecret, now, body) }],
    ['secret in place of the key', { 'X-Api-Key': signingSecret }],
    ['uppercase', { 'X-Signature': signature.toUpperCase() }],
    ['prefixed', { 'X-Signature': `sha256=${signature}` }],
    ['63 digits', { 'X-Signature': signature.slice(0, -1) }],
    ['65 digits', { 'X-Signature': `${signature}0` }],
    ['62 digits: whole bytes, too few', { 'X-Signature': signature.slice(0, -2) }],
    ['base64', { 'X-Signature': Buffer.from(signature, 'hex').toString('base64') }],
    ['a digit that is none', { 'X-Signature': `${signature.slice(0, -1)}g` }],
    [
      'last digit changed',
      { 'X-Signature': signature.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')) },
    ],
    ['over the keys in another order', over(reordered)],
    ['over pretty-printed JSON', over(JSON.stringify(parsed, null, 2))],
    ['over the body and a newline', over(`${body}\n`)],
    ['without the timestamp', { 'X-Signature': sign(signingSecret, '', body) }],
    ['over another timestamp', { 'X-Signature': sign(signingSecret, String(clock.now() + 1), body) }],
    ['of a history request', { 'X-Signature': sign(signingSecret, now, 't1') }],
    ['of an empty body', over('')],
  ]
  for (const [what, headers] of cases) {
    test(what, async () => {
      await assertRefused(service, invalidSignature, () => awardWith(headers))
    })
  }

  const rewritten: [string, string][] = [
    ['pretty-printed', JSON.stringify(parsed, null, 2)],
    ['with its keys in another order', reordered],
    ['with the amount as 5e3', body.replace('5000', '5e3')],
    ['with a letter as an escape', body.replace('"a private', '"\\u0061 private')],
  ]
  for (const [what, content] of rewritten) {
    test(`signed, then sent ${what}: the same JSON, but not the bytes that were signed`, async () => {
      await assertRefused(service, invalidSignature, () => award(headerLines(good), content))
    })
  }

  test('signed without the dot', async () => {
    // Without the dot, timestamp and body still run together: the HMAC of an empty payload misses only the dot.
    const withoutDot = sign(signingSecret, `${now}${body}`, '')
    await assertRefused(service, invalidSignature, () => awardWith({ 'X-Signature': withoutDot }))
  })
  test("an award's signature on a history request, and one for another tenant", async () => {
    await assertRefused(service, invalidSignature, () => history(headerLines(good)))
    await assertRefused(service, invalidSignature, () => history(headerLines(acme.headers('t2'))))
  })
  test('a body changed on its way, by a single bit', async () => {
    const changed = body.replace('"amount":5000', '"amount":7000')
    const answer = await assertRefused(service, invalidSignature, () => award(headerLines(good), changed))
    equal(answer.body.bodyBytes, changed.length)
    equal(answer.body.bodySha256, createHash('sha256').update(changed).digest('hex'))
    match(answer.body.detail, /raw body, byte for byte/)
  })
  test('the response is the same whether the key is unknown, the secret wrong or a header missing', async () => {
    const stranger = createClient(url, { apiKey: 'pck_x', signingSecret }, clock)
    const forger = createClient(url, { apiKey, signingSecret: 'pcs_x' }, clock)
    const bodies = [stranger, forger].map((client) => award(headerLines(client.headers(body))))
    const answers = await Promise.all([...bodies, awardWith({ 'X-Api-Key': '' })])
    const [first, ...others] = answers.map((answer) => ({ ...answer.body, requestId: null }))
    for (const other of others) deepEqual(other, first)
  })
})

describe('a timestamp that is no plain number of milliseconds near our clock is 401 TIMESTAMP_OUT_OF_RANGE', () => {
  const at = clock.now()
  const cases: [string, string, number?][] = [
    ['letters', 'abc'],
    ['an exponent', '1e12'],
    ['a fraction', '12.5'],
    ['a fraction of now', `${at}.0`],
    ['a plus sign', `+${at}`],
    ['a minus sign', `-${at}`],
    ['hexadecimal', `0x${at.toString(16)}`],
    ['a leading zero', `0${at}`],
    ['zero', '0'],
    ['a space inside', `${String(at).slice(0, 6)} ${String(at).slice(6)}`],
    ['a thousands separator', `${String(at).slice(0, 10)},${String(at).slice(10)}`],
    ['ISO 8601', new Date(at).toISOString()],
    ['17 digits', `${at}0000`],
    ['NaN', 'NaN'],
    ['in seconds', String(Math.floor(at / 1000)), Math.floor(at / 1000) - at],
    ['in microseconds', `${at}000`, at * 1000 - at],
    ['300,001 ms early', String(at - 300_001), -300_001],
    ['300,001 ms late', String(at + 300_001), 300_001],
  ]
  for (const [what, timestamp, skewMs] of cases) {
    test(`${what}: signed correctly, and with a wrong signature too`, async () => {
      const signed = { 'X-Timestamp': timestamp, 'X-Signature': sign(signingSecret, timestamp, body) }
      for (const headers of [signed, { ...signed, 'X-Signature': 'f'.repeat(64) }]) {
        const answer = await assertRefused(service, outOfRange, () => awardWith(headers))
        equal(answer.body.serverTime, at)
        equal(answer.body.skewMs, skewMs)
      }
      const { body: problem } = await history(headerLines(acme.headers('t1', timestamp)))
      equal(problem.code, outOfRange.code)
    })
  }
  test('seconds get a hint', async () => {
    const { body: problem } = await awardWith({ 'X-Timestamp': String(Math.floor(at / 1000)) })
    match(problem.detail, /seconds/)
  })
  test('a stale timestamp comes before an unknown key', async () => {
    const headers = { 'X-Timestamp': String(at - 300_001), 'X-Api-Key': 'pck_unknown' }
    await assertRefused(service, outOfRange, () => awardWith(headers))
  })
  for (const skewMs of [-300_000, 300_000]) {
    test(`${skewMs} ms off is fine`, async () => {
      const fresh = JSON.stringify(anAwardBody(privateFields))
      const timestamp = String(at + skewMs)
      equal((await award(headerLines(acme.headers(fresh, timestamp)), fresh)).status, 202)
      equal((await history(headerLines(acme.headers('t1', timestamp)))).status, 200)
    })
  }
})

test('the award that all of these asked for is accepted when it is signed', async () => {
  equal((await award(headerLines(good))).status, 202)
})

test('afterwards the ledger is sound and the log holds nothing private', () =>
  assertSoundAndDiscreet(service))
