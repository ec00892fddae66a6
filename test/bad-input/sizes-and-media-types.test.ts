import { equal } from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { anAwardBody } from '../support/client.ts'
import { assertRefused, assertSoundAndDiscreet, privateFields } from '../support/problem-assertions.ts'
import { headerLines, requestText, sendRaw } from '../support/raw-http.ts'
import { startService } from '../support/service.ts'

const service = await startService({ after })
const { acme, url } = service
await acme.award(privateFields)

const bodyBytesMax = 65_536
const headerBytesMax = 16_384
const invalid = (status: number) => ({ status, code: 'INVALID_REQUEST' })

/** A valid award of exactly this many bytes. */
function awardOf(bytes: number): string {
  const body = JSON.stringify(anAwardBody(privateFields))
  return body + ' '.repeat(bytes - body.length)
}

function rawAward(body: string, framing: string[], content = body, more: string[] = []): string {
  const lines = ['Host: localhost', 'Content-Type: application/json', ...headerLines(acme.headers(body))]
  return requestText('POST /v1/ep/webhook HTTP/1.1', [...lines, ...framing, ...more], content)
}

function inChunks(body: string, chunkBytes = 16_384): string {
  const chunks = body.match(new RegExp(`.{1,${chunkBytes}}`, 'gs')) ?? []
  return `${chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('')}0\r\n\r\n`
}

describe('a body over 64 KiB, or in too many chunks, is 413, and the connection is closed', () => {
  const tooLong = awardOf(bodyBytesMax + 1)
  const small = awardOf(4_000)
  const cases: [string, string][] = [
    ['one byte more, by its length', rawAward(tooLong, [`Content-Length: ${tooLong.length}`])],
    ['one byte more, by growth', rawAward(tooLong, ['Transfer-Encoding: chunked'], inChunks(tooLong))],
    ['a length of a terabyte, before a byte of it', rawAward('', ['Content-Length: 1099511627776'], '')],
    ['growth without end', rawAward('', ['Transfer-Encoding: chunked'], inChunks(tooLong).slice(0, -5))],
    [
      'a small body in thousands of chunks',
      rawAward(small, ['Transfer-Encoding: chunked'], inChunks(small, 1)),
    ],
    [
      'chunk extensions without end',
      rawAward('', ['Transfer-Encoding: chunked'], `5;${'a'.repeat(20_000)}\r\nhello\r\n0\r\n\r\n`),
    ],
  ]
  for (const [what, text] of cases) {
    test(what, async () => {
      const answer = await assertRefused(service, invalid(413), () => sendRaw(url, text))
      equal(answer.closed, true)
    })
  }
  test('growth without end on an unknown path is 404, and closed too', async () => {
    const text = cases.find(([what]) => what === 'growth without end')![1].replace('/webhook', '/unknown')
    const answer = await assertRefused(service, { status: 404, code: 'NOT_FOUND' }, () => sendRaw(url, text))
    equal(answer.closed, true)
  })
  test('an ordinary client reads the response', async () => {
    await assertRefused(service, invalid(413), () => acme.awardBytes(tooLong))
  })
  test('exactly 64 KiB are accepted, by length and by chunks', async () => {
    equal((await acme.awardBytes(awardOf(bodyBytesMax))).status, 202)
    const body = awardOf(bodyBytesMax)
    const chunked = rawAward(body, ['Transfer-Encoding: chunked', 'Connection: close'], inChunks(body))
    equal((await sendRaw(url, chunked)).status, 202)
  })
})

describe('a head that is too large', () => {
  const body = awardOf(200)
  const length = `Content-Length: ${body.length}`
  const withMore = (more: string[]) => rawAward(body, [length, 'Connection: close'], body, more)
  const ownHeaders = withMore([]).split('\r\n\r\n')[0]!.split('\r\n').length - 1
  const fill = (count: number) => Array.from({ length: count }, (_, index) => `X-${index}: 1`)

  test('over 16 KiB of headers are 431, and the connection is closed', async () => {
    const large = withMore([`X-Large: ${'a'.repeat(headerBytesMax)}`])
    const answer = await assertRefused(service, invalid(431), () => sendRaw(url, large))
    equal(answer.closed, true)
  })
  test('headers that grow without end are 431', async () => {
    const endless = `POST /v1/ep/webhook HTTP/1.1\r\n${'X-More: 1\r\n'.repeat(3000)}`
    await assertRefused(service, invalid(431), () => sendRaw(url, endless))
  })
  test('101 headers are 431, 100 are accepted', async () => {
    await assertRefused(service, invalid(431), () => sendRaw(url, withMore(fill(101 - ownHeaders))))
    equal((await sendRaw(url, withMore(fill(100 - ownHeaders)))).status, 202)
  })
  test('a target over 8 KiB is 414', async () => {
    const long = `&extra=${'a'.repeat(8_192)}`
    await assertRefused(service, invalid(414), () => acme.history('t1', long))
    equal((await acme.history('t1', `&extra=${'a'.repeat(8_000)}`)).status, 200)
  })
})

describe('an award that is not plain JSON by its headers is 415', () => {
  const cases: [string, string[]][] = [
    ['no Content-Type', []],
    ['an empty Content-Type', ['Content-Type: ']],
    ['text/plain', ['Content-Type: text/plain']],
    ['a form', ['Content-Type: application/x-www-form-urlencoded']],
    ['another JSON', ['Content-Type: application/problem+json']],
    ['a type that begins like JSON', ['Content-Type: application/jsonp']],
    ['charset=iso-8859-1', ['Content-Type: application/json; charset=iso-8859-1']],
    ['charset=utf-16', ['Content-Type: application/json; charset=utf-16']],
    ['two charsets', ['Content-Type: application/json; charset=utf-8; charset=utf-16']],
    ['a Content-Type repeated', ['Content-Type: application/json', 'Content-Type: application/json']],
    ['Content-Encoding: gzip', ['Content-Type: application/json', 'Content-Encoding: gzip']],
    ['Content-Encoding: br', ['Content-Type: application/json', 'Content-Encoding: br']],
    ['Content-Encoding: identity', ['Content-Type: application/json', 'Content-Encoding: identity']],
    ['an empty Content-Encoding', ['Content-Type: application/json', 'Content-Encoding: ']],
  ]
  const withTypes = (types: string[]) => {
    const body = JSON.stringify(anAwardBody(privateFields))
    const headers = { Host: 'localhost', Connection: 'close', 'Content-Length': String(body.length) }
    const lines = [...headerLines({ ...headers, ...acme.headers(body) }), ...types]
    return sendRaw(url, requestText('POST /v1/ep/webhook HTTP/1.1', lines, body))
  }
  for (const [what, types] of cases) {
    test(what, async () => {
      await assertRefused(service, invalid(415), () => withTypes(types))
    })
  }
  for (const type of [
    'application/json',
    'application/json;charset=UTF-8',
    'Application/JSON; charset="utf-8"',
  ]) {
    test(`${type} is accepted`, async () => {
      equal((await withTypes([`Content-Type: ${type}`])).status, 202)
    })
  }
})

describe('a body on a history request is 400 INVALID_REQUEST', () => {
  const get = (framing: string[], body: string, signed = 't1') => {
    const lines = ['Host: localhost', 'Connection: close', ...headerLines(acme.headers(signed)), ...framing]
    return sendRaw(url, requestText('GET /v1/ep/webhook/awards?tenantId=t1 HTTP/1.1', lines, body))
  }
  const cases: [string, string[], string][] = [
    ['by length', ['Content-Length: 7'], 'private'],
    ['by chunks', ['Transfer-Encoding: chunked'], '7\r\nprivate\r\n0\r\n\r\n'],
    ['JSON', ['Content-Length: 2', 'Content-Type: application/json'], '{}'],
  ]
  for (const [what, framing, body] of cases) {
    test(what, async () => {
      await assertRefused(service, { ...invalid(400), names: [''] }, () => get(framing, body))
    })
  }
  test('a declared length of zero is no body', async () => {
    equal((await get(['Content-Length: 0'], '')).status, 200)
  })
  test('without a signature it is not disclosed', async () => {
    const expected = { status: 401, code: 'INVALID_SIGNATURE' }
    await assertRefused(service, expected, () => get(['Content-Length: 7'], 'private', 't2'))
  })
})

test('afterwards the ledger is sound and the log holds nothing private', () =>
  assertSoundAndDiscreet(service))
