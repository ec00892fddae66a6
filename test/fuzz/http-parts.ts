import { sign } from '../../src/access/signature.ts'
import { integerBelow, type Random } from '../support/seeded-random.ts'
import type { Signer } from './fuzz-request.ts'

/** A request before it is written, which the HTTP mutations change. */
export type HttpParts = {
  method: string
  target: string
  version: string
  lines: [name: string, value: string][]
  body: Buffer
  /** In chunks of this many bytes; null: with a Content-Length. */
  chunkBytes: number | null
}

export function awardParts(signer: Signer, body: Buffer, timestamp: string): HttpParts {
  const lines: HttpParts['lines'] = [
    ['Host', 'localhost'],
    ['Content-Type', 'application/json'],
  ]
  lines.push(...signatureLines(signer, body, timestamp))
  return { method: 'POST', target: '/v1/ep/webhook', version: '1.1', lines, body, chunkBytes: null }
}

export function historyParts(signer: Signer, query: string, tenantId: string, timestamp: string): HttpParts {
  const lines: HttpParts['lines'] = [['Host', 'localhost'], ...signatureLines(signer, tenantId, timestamp)]
  const target = `/v1/ep/webhook/awards?${query}`
  return { method: 'GET', target, version: '1.1', lines, body: Buffer.alloc(0), chunkBytes: null }
}

function signatureLines(signer: Signer, payload: string | Buffer, timestamp: string): HttpParts['lines'] {
  return [
    ['X-Api-Key', signer.apiKey],
    ['X-Timestamp', timestamp],
    ['X-Signature', sign(signer.signingSecret, timestamp, payload)],
  ]
}

/** Names and values are latin1, as they are on the wire. */
export function requestBytes({ method, target, version, lines, body, chunkBytes }: HttpParts): Buffer {
  const framing = framingLines(method, body, chunkBytes)
  const head = [
    `${method} ${target} HTTP/${version}`,
    ...[...lines, ...framing].map(([name, value]) => `${name}: ${value}`),
  ]
  const content = chunkBytes === null ? body : inChunks(body, chunkBytes)
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), content])
}

function framingLines(method: string, body: Buffer, chunkBytes: number | null): HttpParts['lines'] {
  if (chunkBytes !== null) return [['Transfer-Encoding', 'chunked']]
  return body.length > 0 || method === 'POST' ? [['Content-Length', String(body.length)]] : []
}

function inChunks(body: Buffer, chunkBytes: number): Buffer {
  const pieces: Buffer[] = []
  for (let start = 0; start < body.length; start += chunkBytes) {
    const piece = body.subarray(start, start + chunkBytes)
    pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'))
  }
  return Buffer.concat([...pieces, Buffer.from('0\r\n\r\n')])
}

export function lineOf(parts: HttpParts, name: string): [name: string, value: string] {
  return parts.lines.find(([known]) => known === name)!
}

export function shuffle<T>(items: T[], random: Random): void {
  for (let last = items.length - 1; last > 0; last--) {
    const other = integerBelow(random, last + 1)
    ;[items[last], items[other]] = [items[other]!, items[last]!]
  }
}
