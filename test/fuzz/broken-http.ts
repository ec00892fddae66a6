import { integerBelow, oneOf, type Random } from '../support/seeded-random.ts'
import { mutateBytes, randomBytes } from './byte-mutation.ts'
import type { HttpParts } from './http-parts.ts'
import { requestBytes } from './http-parts.ts'

/** Bytes that are not a request, or whose end is unclear. Their response is not known in advance. */
export function brokenHttp(parts: HttpParts, random: Random): { what: string; bytes: Buffer } {
  const what = oneOf(random, Object.keys(breakages))
  return { what, bytes: breakages[what]!(parts, random) }
}

const breakages: Record<string, (parts: HttpParts, random: Random) => Buffer> = {
  'cut off': (parts, random) => {
    const bytes = requestBytes(parts)
    return bytes.subarray(0, integerBelow(random, bytes.length))
  },
  'bytes changed in the head': (parts, random) => {
    const bytes = requestBytes(parts)
    const end = bytes.indexOf('\r\n\r\n') + 4
    return Buffer.concat([mutateBytes(bytes.subarray(0, end), random), bytes.subarray(end)])
  },
  'bytes changed anywhere': (parts, random) => mutateBytes(requestBytes(parts), random),
  'a wrong length': (parts, random) => {
    const size = parts.body.length
    const lengths = [
      size + 1,
      size - 1,
      0,
      -1,
      1e12,
      `+${size}`,
      `0${size}`,
      `0x${size.toString(16)}`,
      `${size}, ${size}`,
      ` ${size} `,
      '',
      `${size}.0`,
    ]
    return framed(parts, [`Content-Length: ${oneOf(random, lengths)}`], parts.body)
  },
  'two framings': (parts, random) => {
    const length = `Content-Length: ${parts.body.length}`
    const chunked = 'Transfer-Encoding: chunked'
    const framings = [
      [length, chunked],
      [chunked, length],
      [length, length],
      [chunked, chunked],
      [length, 'Content-Length: 0'],
    ]
    return framed(parts, oneOf(random, framings), oneOf(random, [parts.body, inOneChunk(parts.body)]))
  },
  'an odd encoding': (parts, random) => {
    const encodings = [
      'gzip, chunked',
      'chunked, gzip',
      'identity',
      'xchunked',
      'Chunked',
      'chunked;a=b',
      '"chunked"',
      '',
      ' chunked',
      'chunked,',
    ]
    return framed(parts, [`Transfer-Encoding: ${oneOf(random, encodings)}`], inOneChunk(parts.body))
  },
  'odd chunks': (parts, random) => {
    const size = parts.body.length.toString(16)
    const sizes = [
      `0${size}`,
      `${size};a=b`,
      `${size};a="\n"`,
      `${size} `,
      ` ${size}`,
      `0x${size}`,
      `-${size}`,
      `${size.toUpperCase()}`,
      'f'.repeat(17),
      'zz',
      '',
      `${size};${'a'.repeat(20_000)}`,
    ]
    const ends = [
      '\r\n0\r\n\r\n',
      '\r\n0\r\nX-Trailer: 1\r\n\r\n',
      '\n0\n\n',
      '0\r\n\r\n',
      '\r\n00\r\n\r\n',
      '\r\n0\r\n',
      '\r\n0\r\nX-Api-Key: x\r\n\r\n',
      '\r\n-1\r\n',
    ]
    const lineEnd = oneOf(random, ['\r\n', '\r\n', '\n', '\r'])
    const content = [
      Buffer.from(oneOf(random, sizes) + lineEnd),
      parts.body,
      Buffer.from(oneOf(random, ends)),
    ]
    return framed(parts, ['Transfer-Encoding: chunked'], Buffer.concat(content))
  },
  'other line ends': (parts, random) => {
    const bytes = requestBytes(parts).toString('latin1')
    return Buffer.from(
      random() < 0.3
        ? bytes.replaceAll('\r\n', '\n')
        : bytes.replace('\r\n', oneOf(random, ['\n', '\r', '\r\r\n', '\n\r', '\r\n '])),
      'latin1',
    )
  },
  'an odd line in the head': (parts, random) => {
    const odd = [
      'X : a',
      ': a',
      'nonsense',
      'X: a\r\n b',
      'X: a\0b',
      'X\0: a',
      'X: a\rY: b',
      ' X: a',
      'X-Api-Key : x',
      '\xff: a',
      '"X": a',
      'X(): a',
    ]
    return framed(parts, [oneOf(random, odd), `Content-Length: ${parts.body.length}`], parts.body)
  },
  'an odd first line': (parts, random) => {
    const odd = [
      'POST',
      'POST /',
      'POST / HTTP/1.1 x',
      'post /v1/ep/webhook HTTP/1.1',
      'POST  /v1/ep/webhook HTTP/1.1',
      'POST /v1/ep/web hook HTTP/1.1',
      'CONNECT localhost:443 HTTP/1.1',
      'PRI * HTTP/2.0',
      'POST /v1/ep/webhook HTTP/3.0',
      'POST /v1/ep/webhook HTTP/1.11',
      'GET \xff HTTP/1.1',
      'CREDIT / HTTP/1.1',
      '\r\n\r\nPOST /v1/ep/webhook HTTP/1.1',
      'POST /v1/ep/webhook\tHTTP/1.1',
      'GET / ICE/1.0',
      'SOURCE / HTTP/1.1',
      'POST /v1/ep/webhook',
    ]
    const bytes = requestBytes(parts)
    return Buffer.concat([Buffer.from(oneOf(random, odd), 'latin1'), bytes.subarray(bytes.indexOf('\r\n'))])
  },
  'more behind the end': (parts, random) =>
    Buffer.concat([
      requestBytes(parts),
      oneOf(random, [
        randomBytes(random, 12),
        Buffer.from('\0\0'),
        Buffer.from('nonsense\r\n\r\n'),
        Buffer.from('POST '),
      ]),
    ]),
  'the same twice, the second cut off': (parts, random) => {
    const bytes = requestBytes(parts)
    return Buffer.concat([bytes, bytes.subarray(0, integerBelow(random, bytes.length))])
  },
  'random bytes': (_, random) => randomBytes(random, 1 + integerBelow(random, 200)),
  'a TLS handshake': (_, random) =>
    Buffer.concat([Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]), randomBytes(random, 40)]),
}

function framed(parts: HttpParts, framing: string[], content: Buffer): Buffer {
  const bytes = requestBytes({ ...parts, body: Buffer.alloc(0), chunkBytes: null })
  const head = bytes
    .toString('latin1')
    .replace(/\r\nContent-Length: 0\r\n/, '\r\n')
    .slice(0, -2)
  return Buffer.concat([Buffer.from(`${head}${framing.join('\r\n')}\r\n\r\n`, 'latin1'), content])
}

function inOneChunk(body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')])
}
