import { integerBelow, oneOf, type Random } from '../support/seeded-random.ts'
import { mutateBytes } from './byte-mutation.ts'
import { type HttpParts, lineOf, shuffle } from './http-parts.ts'
import { privateMark } from './json-values.ts'

/** Changes a request within the grammar of HTTP. It stays the same request, or becomes one that must be refused. */
type HeaderGame = {
  effect: 'same' | 'refused' | 'either'
  /** Set if it applies to one method only. */
  method: string | undefined
  play(parts: HttpParts, random: Random): void
}

/** The HTTP parser rejects this one: to the service it is broken HTTP. */
export const overflow = 'too large a header'

const headerGames: Record<string, HeaderGame> = {
  'names in another case': same(({ lines }, random) => {
    for (const line of lines) line[0] = random() < 0.5 ? line[0].toLowerCase() : line[0].toUpperCase()
  }),
  'space around values': same(({ lines }, random) => {
    for (const line of lines)
      line[1] = `${oneOf(random, ['', ' ', '\t ', '   '])}${line[1]}${oneOf(random, ['', ' ', ' \t'])}`
  }),
  'another order': same(({ lines }, random) => shuffle(lines, random)),
  'headers nobody asked for': same(({ lines }, random) => {
    for (let count = integerBelow(random, 80); count > 0; count--)
      lines.push([`X-${count}`, oneOf(random, ['', 'a', '\xff', '\t'])])
  }),
  'a request id': same(({ lines }, random) => {
    const ids = [
      'abc',
      'a:b.c-d_1',
      '',
      privateMark,
      'a'.repeat(128),
      'a'.repeat(129),
      '\xff',
      'a, b',
      '<script>',
    ]
    for (let count = 1 + integerBelow(random, 2); count > 0; count--)
      lines.push(['X-Request-Id', oneOf(random, ids)])
  }),
  'a trace': same(({ lines }, random) => {
    lines.push([
      'traceparent',
      oneOf(random, [`00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, privateMark, '00-', '\xff']),
    ])
  }),
  'in chunks': same((parts, random) => {
    parts.chunkBytes = 1 + integerBelow(random, 200)
  }, 'POST'),
  'expecting 100': same(({ lines }) => void lines.push(['Expect', '100-continue']), 'POST'),
  'another spelling of JSON': same((parts, random) => {
    lineOf(parts, 'Content-Type')[1] = oneOf(random, [
      'application/json;charset=UTF-8',
      'Application/JSON; charset="utf-8"',
    ])
  }, 'POST'),
  'an upgrade': either(({ lines }, random) => {
    lines.push(['Connection', oneOf(random, ['Upgrade', 'upgrade, HTTP2-Settings', 'keep-alive'])])
    lines.push(['Upgrade', oneOf(random, ['h2c', 'websocket', 'TLS/1.0', ''])])
  }),
  'headers of proxies': same(({ lines }, random) => {
    const proxied = [
      'X-Forwarded-For',
      'Forwarded',
      'X-Original-URL',
      'X-HTTP-Method-Override',
      'Cookie',
      'Range',
      'Origin',
    ]
    lines.push([
      oneOf(random, proxied),
      oneOf(random, ['127.0.0.1', 'DELETE', '/admin', privateMark, 'bytes=0-1']),
    ])
  }),
  'HTTP/1.0': either((parts) => {
    parts.version = '1.0'
  }),
  'a connection that closes': either(({ lines }, random) => {
    lines.push(['Connection', oneOf(random, ['close', 'Close', 'keep-alive, close', 'x'])])
  }),
  'an auth header missing': refused((parts, random) => {
    const missing = anAuthHeader(random)
    parts.lines = parts.lines.filter(([name]) => name !== missing)
  }),
  'an auth header twice': refused((parts, random) => {
    const [name, value] = lineOf(parts, anAuthHeader(random))
    parts.lines.push([name, oneOf(random, [value, '', 'x'])])
  }),
  'an auth header changed': refused((parts, random) => {
    const line = lineOf(parts, anAuthHeader(random))
    const before = line[1]
    const changed = mutateBytes(Buffer.from(before), random)
      .toString('latin1')
      .replace(/[\x00-\x1f\x7f]/g, '')
      .trim()
    line[1] = changed === before ? `${before}0` : changed
  }),
  'another signature': refused((parts, random) => {
    const line = lineOf(parts, 'X-Signature')
    const hex = line[1]
    const base64 = Buffer.from(hex, 'hex').toString('base64')
    const others = [
      hex.toUpperCase(),
      `sha256=${hex}`,
      base64,
      hex.slice(1),
      `${hex}0`,
      `0x${hex}`,
      '0'.repeat(64),
      '',
      `${hex}, ${hex}`,
    ]
    line[1] = oneOf(
      random,
      others.filter((other) => other !== hex),
    )
  }),
  'another timestamp': refused((parts, random) => {
    const line = lineOf(parts, 'X-Timestamp')
    const now = Number(line[1])
    const others = [
      now + 3_600_000,
      now - 3_600_000,
      Math.floor(now / 1000),
      `0${now}`,
      `+${now}`,
      `${now}.0`,
      `${now}e0`,
    ]
    line[1] = String(
      oneOf(random, [...others, `0x${now.toString(16)}`, 'abc', '', '-1', '9'.repeat(16), '9'.repeat(400)]),
    )
  }),
  'another key': refused((parts, random) => {
    const others = ['pck_unknown', '', 'null', '__proto__', 'a'.repeat(5000), '\xe9', "' OR 1=1 --"]
    lineOf(parts, 'X-Api-Key')[1] = oneOf(random, others)
  }),
  'another media type': refused((parts, random) => {
    const types = [
      'text/plain',
      '',
      'application/jsonp',
      'application/json; charset=utf-16',
      'multipart/form-data',
      '\xff',
    ]
    lineOf(parts, 'Content-Type')[1] = oneOf(random, types)
  }, 'POST'),
  'an encoding': refused(({ lines }, random) => {
    lines.push(['Content-Encoding', oneOf(random, ['gzip', 'identity', '', 'br, gzip'])])
  }, 'POST'),
  'another method': refused((parts, random) => {
    parts.method = oneOf(
      random,
      ['GET', 'POST', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'SEARCH'].filter(
        (method) => method !== parts.method,
      ),
    )
  }),
  'another path': refused((parts, random) => {
    const paths = [
      '/',
      '/v1/ep/webhook/',
      '//v1/ep/webhook',
      '/v1/EP/webhook',
      '/v1/ep/webhoo%6b',
      '/%zz',
      '/%ff',
      '*',
      '/v1/ep/../ep/webhook',
    ]
    parts.target = oneOf(random, [
      ...paths,
      'http://localhost/v1/ep/webhook',
      `/${privateMark}`,
      '/v1/ep/webhook;a',
      '/v1/ep/webhook#a',
    ])
  }),
  'too many headers': refused(({ lines }, random) => {
    for (let count = 101 + integerBelow(random, 800); count > 0; count--) lines.push(['X', '1'])
  }),
  [overflow]: refused(
    ({ lines }, random) => void lines.push(['X-Large', 'a'.repeat(16_384 + integerBelow(random, 5_000))]),
  ),
  'too long a target': refused((parts, random) => {
    parts.target += `${parts.target.includes('?') ? '&' : '?'}extra=${'a'.repeat(8_193 + integerBelow(random, 4_000))}`
  }),
  'another expectation': refused(
    ({ lines }, random) => void lines.push(['Expect', oneOf(random, ['a miracle', '200-ok', ''])]),
  ),
  'no host': refused((parts) => {
    parts.lines = parts.lines.filter(([name]) => name !== 'Host')
  }),
  'a body changed after it was signed': refused((parts, random) => {
    const changed = mutateBytes(parts.body, random)
    parts.body = changed.equals(parts.body) ? Buffer.concat([changed, Buffer.from(' ')]) : changed
  }, 'POST'),
  'a body on GET': refused((parts, random) => {
    parts.body = Buffer.from(oneOf(random, ['{}', privateMark, ' ']))
  }, 'GET'),
}

/** After these the service closes the connection, or may. */
export const closingGames = [
  'an upgrade',
  'HTTP/1.0',
  'a connection that closes',
  'another path',
  'too many headers',
  overflow,
  'too long a target',
  'another expectation',
  'no host',
]

/** The mutations that apply to this method. */
export function gamesFor(method: string): [name: string, HeaderGame][] {
  return Object.entries(headerGames).filter(([, game]) => (game.method ?? method) === method)
}

function same(play: HeaderGame['play'], method: string | undefined = undefined): HeaderGame {
  return aGame('same', play, method)
}

function refused(play: HeaderGame['play'], method: string | undefined = undefined): HeaderGame {
  return aGame('refused', play, method)
}

function either(play: HeaderGame['play']): HeaderGame {
  return aGame('either', play)
}

function aGame(
  effect: HeaderGame['effect'],
  play: HeaderGame['play'],
  method: string | undefined = undefined,
): HeaderGame {
  return { effect, method, play }
}

function anAuthHeader(random: Random): string {
  return oneOf(random, ['X-Api-Key', 'X-Timestamp', 'X-Signature'])
}
