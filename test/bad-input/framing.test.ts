import { equal } from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, describe, test } from 'node:test'
import { anAwardBody } from '../support/client.ts'
import { assertRefused, assertSoundAndDiscreet, privateFields } from '../support/problem-assertions.ts'
import { headerLines, requestText, sendRaw } from '../support/raw-http.ts'
import { startService } from '../support/service.ts'

const service = await startService({ after })
const { acme, url } = service
await acme.award(privateFields)

const badRequest = { status: 400, code: 'INVALID_REQUEST' }
const requestLine = 'POST /v1/ep/webhook HTTP/1.1'

/** A valid and signed award, in parts, which a case assembles wrongly. */
function anAward() {
  const body = JSON.stringify(anAwardBody(privateFields))
  const lines = ['Host: localhost', 'Content-Type: application/json', ...headerLines(acme.headers(body))]
  const length = `Content-Length: ${body.length}`
  const chunk = `${body.length.toString(16)}\r\n${body}\r\n`
  return { body, lines, length, chunk, whole: requestText(requestLine, [...lines, length], body) }
}

describe('HTTP of which the end or the meaning is in doubt is 400, and the connection is closed', () => {
  const { body, lines, length, chunk, whole } = anAward()
  const size = body.length
  const chunked = `${chunk}0\r\n\r\n`
  const framedBy = (framing: string[], content: string) =>
    requestText(requestLine, [...lines, ...framing], content)
  const encoded = (encoding: string) => framedBy([`Transfer-Encoding: ${encoding}`], chunked)
  const chunks = (content: string) => framedBy(['Transfer-Encoding: chunked'], content)
  const withLine = (line: string) => framedBy([length, line], body)

  const cases: [string, string][] = [
    ['Content-Length, then Transfer-Encoding', framedBy([length, 'Transfer-Encoding: chunked'], chunked)],
    ['Transfer-Encoding, then Content-Length', framedBy(['Transfer-Encoding: chunked', length], chunked)],
    ['two lengths that differ', framedBy([length, `Content-Length: ${size + 1}`], body)],
    ['two lengths that agree', framedBy([length, length], body)],
    ['a list of lengths', framedBy([`Content-Length: ${size}, ${size}`], body)],
    ['a length with a sign', framedBy([`Content-Length: +${size}`], body)],
    ['a negative length', framedBy(['Content-Length: -1'], body)],
    ['a hexadecimal length', framedBy([`Content-Length: 0x${size.toString(16)}`], body)],
    ['an endless length', framedBy([`Content-Length: ${'9'.repeat(40)}`], body)],
    ['gzip, chunked', encoded('gzip, chunked')],
    ['chunked, gzip', encoded('chunked, gzip')],
    ['chunked twice', encoded('chunked, chunked')],
    [
      'two Transfer-Encoding headers',
      framedBy(['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], chunked),
    ],
    ['identity', encoded('identity')],
    ['an unknown encoding', encoded('xchunked')],
    ['a chunk size that is no number', chunks(`zz\r\n${body}\r\n0\r\n\r\n`)],
    ['a negative chunk size', chunks(`-5\r\n${body}\r\n0\r\n\r\n`)],
    ['a chunk size with 0x', chunks(`0x${chunked}`)],
    ['a chunk longer than its size', chunks(`${(size - 1).toString(16)}\r\n${body}\r\n0\r\n\r\n`)],
    ['a chunk without its CRLF', chunks(`${size.toString(16)}\r\n${body}0\r\n\r\n`)],
    ['a bare LF behind the chunk size', chunks(`${size.toString(16)}\n${body}\r\n0\r\n\r\n`)],
    ['a bare LF behind the chunk', chunks(`${size.toString(16)}\r\n${body}\n0\r\n\r\n`)],
    ['an endless chunk size', chunks(`${'f'.repeat(20)}\r\n${body}`)],
    ['bare LFs throughout', whole.replaceAll('\r\n', '\n')],
    ['a bare LF behind the request line', whole.replace('\r\n', '\n')],
    ['a bare LF behind a header', whole.replace('Host: localhost\r\n', 'Host: localhost\n')],
    ['a bare LF before the body', whole.replace('\r\n\r\n', '\r\n\n')],
    ['a bare CR inside a header', withLine('X-Extra: a\rX-Other: b')],
    ['NUL in a header value', withLine('X-Extra: a\0b')],
    ['NUL in a header name', withLine('X-Ex\0tra: a')],
    ['a space before the colon', withLine('X-Extra : a')],
    ['a header without a name', withLine(': a')],
    ['a line that is no header', withLine('nonsense')],
    ['a folded header', withLine('X-Extra: a\r\n b')],
    ['an unknown method', whole.replace('POST', 'CREDIT')],
    ['a method in lower case', whole.replace('POST', 'post')],
    ['no target', whole.replace(' /v1/ep/webhook', '')],
    ['a space in the target', whole.replace('/webhook', '/web hook')],
    ['another version of HTTP', whole.replace('HTTP/1.1', 'HTTP/3.0')],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['HTTP/2.0 in the request line', whole.replace('HTTP/1.1', 'HTTP/2.0')],
    ['HTTP/1.2', whole.replace('HTTP/1.1', 'HTTP/1.2')],
    ['HTTP/0.9 in the request line', whole.replace('HTTP/1.1', 'HTTP/0.9')],
    ['a request line without a version', whole.replace(' HTTP/1.1', '')],
    ['HTTP/1.0 in chunks', chunks(chunked).replace('HTTP/1.1', 'HTTP/1.0')],
    [
      'HTTP/1.0 in chunks that wants to be kept alive',
      framedBy(['Transfer-Encoding: chunked', 'Connection: keep-alive'], chunked).replace(
        'HTTP/1.1',
        'HTTP/1.0',
      ),
    ],
    ['HTTP/1.0 with another encoding', encoded('identity').replace('HTTP/1.1', 'HTTP/1.0')],
    ['no Host', whole.replace('Host: localhost\r\n', '')],
    ['two Hosts that differ', withLine('Host: example.com')],
    ['two Hosts that agree', withLine('host: localhost')],
    ['two Hosts, the first empty', whole.replace('Host: localhost', 'Host:\r\nHost: localhost')],
    ['two Hosts in HTTP/1.0', withLine('Host: example.com').replace('HTTP/1.1', 'HTTP/1.0')],
    ...[
      'local host',
      'localhost/',
      'localhost?x',
      'user@localhost',
      'localhost:http',
      'localhost, example.com',
      '[::1',
      '::1',
      '"x"',
      'caf\xe9',
      'a\tb',
    ].map((host): [string, string] => [`Host: ${host}`, whole.replace('Host: localhost', `Host: ${host}`)]),
    ['a folded Host', whole.replace('Host: localhost', 'Host: local\r\n host')],
  ]
  for (const [what, text] of cases) {
    test(what, async () => {
      const answer = await assertRefused(service, badRequest, () => sendRaw(url, text))
      equal(answer.closed, true)
      equal(answer.headers.get('connection'), 'close')
    })
  }

  test('a client that hangs up in the middle of its body', async () => {
    const half = whole.slice(0, -10)
    const answer = await assertRefused(service, badRequest, () => sendRaw(url, half, { hangUp: true }))
    equal(answer.closed, true)
  })

  test('the same award in good form is accepted, by length and by chunks', async () => {
    const close = 'Connection: close'
    equal((await sendRaw(url, framedBy([length, close], body))).status, 202)
    equal((await sendRaw(url, framedBy(['Transfer-Encoding: chunked', close], chunked))).status, 200)
  })

  for (const host of ['', 'localhost:8080', '127.0.0.1', '[::1]:8080', 'xn--caf-dma.example']) {
    test(`Host: ${host} is a good one`, async () => {
      const text = framedBy([length, 'Connection: close'], body).replace('Host: localhost', `Host: ${host}`)
      equal((await sendRaw(url, text)).status, 200)
    })
  }
})

describe('HTTP/1.0 gets a response, and is closed whatever it asks for', () => {
  for (const more of [[], ['Connection: keep-alive'], ['Connection: close']]) {
    test(more.join() || 'no Connection header', async () => {
      const { body, lines, length } = anAward()
      const text = requestText('POST /v1/ep/webhook HTTP/1.0', [...lines, length, ...more], body)
      const answer = await sendRaw(url, text)
      equal(answer.status, 202, answer.text)
      equal(answer.headers.get('connection'), 'close')
      equal(answer.closed, true)
    })
  }

  test('without a Host, too', async () => {
    const answer = await sendRaw(url, requestText('GET /livez HTTP/1.0', []))
    equal(answer.status, 200, answer.text)
    equal(answer.closed, true)
  })
})

describe('bytes after the declared body: the request has its own response, then we close', () => {
  const cases: [string, status: number, (award: ReturnType<typeof anAward>) => string][] = [
    ['an award followed by nonsense', 202, ({ whole }) => `${whole}nonsense\r\n\r\n`],
    ['an award followed by NULs', 202, ({ whole }) => `${whole}\0\0\0\0`],
    [
      'a chunked award followed by nonsense',
      202,
      ({ lines, chunk }) =>
        requestText(requestLine, [...lines, 'Transfer-Encoding: chunked'], `${chunk}0\r\n\r\n\x01\x02`),
    ],
    [
      'a forged award followed by nonsense',
      401,
      ({ whole }) => `${whole.replace('"amount":5', '"amount":9')}\x01\x02`,
    ],
    [
      'a text followed by nonsense',
      415,
      ({ whole }) => `${whole.replace('application/json', 'text/plain')}\x01`,
    ],
    [
      'an unknown path followed by nonsense',
      404,
      ({ whole }) => `${whole.replace('/v1/ep/webhook', '/private')}\x01`,
    ],
  ]
  for (const [what, status, text] of cases) {
    test(what, async () => {
      const award = anAward()
      const answer = await sendRaw(url, text(award))
      equal(answer.status, status, answer.text)
      equal(answer.headers.get('connection'), 'close')
      equal(answer.closed, true)
      equal((await acme.awardBytes(award.body)).status, status === 202 ? 200 : 202)
    })
  }
})

describe('requests sent one behind the other', () => {
  test('the responses of the complete ones are sent, and a broken one behind them does not take their place', async () => {
    const [first, second] = [anAward(), anAward()]
    const brokenChunk = requestText(requestLine, [...second.lines, 'Transfer-Encoding: chunked'], 'zz\r\n')
    const answer = await sendRaw(url, first.whole + brokenChunk)
    equal(answer.status, 202, answer.text)
    equal(answer.body.orderId, JSON.parse(first.body).orderId)
    equal(answer.closed, true)
    equal((await acme.awardBytes(first.body)).status, 200)
    equal((await acme.awardBytes(second.body)).status, 202)
  })

  test('nor does a CONNECT', async () => {
    const { body, whole } = anAward()
    const tunnel = requestText('CONNECT example.com:443 HTTP/1.1', ['Host: example.com:443'])
    const answer = await sendRaw(url, whole + tunnel)
    equal(answer.status, 202, answer.text)
    equal(answer.closed, true)
    equal((await acme.awardBytes(body)).status, 200)
  })

  test('no client waits for a response behind a request that asks for an upgrade: it closes the connection', async () => {
    const { body, lines, length } = anAward()
    const upgrade = ['Connection: Upgrade', 'Upgrade: websocket']
    const answer = await sendRaw(url, requestText(requestLine, [...lines, length, ...upgrade], body))
    equal(answer.status, 202, answer.text)
    equal(answer.headers.get('connection'), 'close')
    equal(answer.closed, true)
  })
})

test('a client that ends its half of the connection behind an award gets the response, then the connection is closed', async () => {
  const { whole } = anAward()
  const answer = await sendRaw(url, whole, { hangUp: true })
  equal(answer.status, 202, answer.text)
  equal(answer.closed, true)
})

describe('a client that is gone before its response', () => {
  test('its award stands, and the replay is a DUPLICATE', async () => {
    const { body, whole } = anAward()
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    socket.write(whole, () => socket.destroy())
    await once(socket, 'close')
    const replay = await acme.awardBytes(body)
    equal(`${replay.status} ${replay.body.code}`, '200 DUPLICATE')
  })
})

describe('Expect', () => {
  const expecting = (expectation: string) => {
    const { body, lines, length } = anAward()
    return requestText(requestLine, [...lines, length, 'Connection: close', `Expect: ${expectation}`], body)
  }
  test('anything but 100-continue is 417, and the connection is closed', async () => {
    const expected = { status: 417, code: 'INVALID_REQUEST' }
    const answer = await assertRefused(service, expected, () => sendRaw(url, expecting('a-miracle')))
    equal(answer.closed, true)
  })
  test('100-continue is granted', async () => {
    const { status, text } = await sendRaw(url, expecting('100-continue'))
    equal(status, 100)
    equal(/^HTTP\/1\.1 202 /.test(text), true)
  })
})

test('afterwards the ledger is sound and the log holds nothing private', () =>
  assertSoundAndDiscreet(service))
