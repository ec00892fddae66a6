import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { nothingHere } from './broken-request.ts'
import { limits } from './limits.ts'
import type { Problem } from './problem.ts'

/** The checks that need no body: path and method, then size. */
export function protocolProblem(request: FastifyRequest, methodsOf: Map<string, string[]>): Problem | null {
  const { raw } = request
  const [path = ''] = raw.url!.split('?', 1)
  const invalid = (status: number, detail: string, more: Partial<Problem> = {}): Problem => ({
    code: 'INVALID_REQUEST',
    status,
    detail,
    ...more,
  })
  if (raw.rawHeaders.length > 2 * limits.headersMax) {
    return invalid(431, `more than ${limits.headersMax} headers`, close)
  }
  if (raw.url!.length > limits.targetBytesMax) {
    return invalid(414, `the request target exceeds ${limits.targetBytesMax} bytes`, close)
  }
  const ambiguity = ambiguityOf(raw)
  if (ambiguity !== null) return invalid(400, ambiguity, close)

  // The router also accepts absolute targets and encoded paths; we require the path to match byte for byte.
  if (!request.is404 && !takes(request.routeOptions.url!, path, methodsOf)) return nothingHere
  if (request.is404) {
    const allow = methodsOf.get(path)?.join(', ')
    return allow === undefined
      ? nothingHere
      : invalid(405, `this path takes ${allow}`, { headers: { allow } })
  }
  if (raw.headers.expect === 'unmet') return invalid(417, 'only Expect: 100-continue is supported', close)
  if (Number(raw.headers['content-length']) > limits.bodyBytesMax) return tooLarge
  return null
}

/** A route such as `/operator/v1/*` takes every path below, and one of pages (pageRoutes) only those of its pages. */
function takes(url: string, path: string, methodsOf: Map<string, string[]>): boolean {
  if (path === url) return methodsOf.has(url)
  return (
    url.endsWith('/*') && path.startsWith(url.slice(0, -1)) && (methodsOf.has(url) || methodsOf.has(path))
  )
}

/**
 * RFC 9112: refuses a request that a proxy in front of us might interpret differently, and closes its connection. One
 * pass over the headers, because every request goes through here.
 */
function ambiguityOf({ httpVersion, rawHeaders }: IncomingMessage): string | null {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'only HTTP/1.1 and HTTP/1.0 are supported'
  let hosts = 0
  let encodings = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const { length } = rawHeaders[at]!
    if (length === 4 && rawHeaders[at]!.toLowerCase() === 'host') {
      hosts++
      if (!hostForm.test(rawHeaders[at + 1]!)) return 'the Host header is not a host and an optional port'
    } else if (length === 17 && rawHeaders[at]!.toLowerCase() === 'transfer-encoding') {
      encodings++
      if (rawHeaders[at + 1]!.toLowerCase() !== 'chunked')
        return 'only Transfer-Encoding: chunked is supported'
    }
  }
  if (encodings > 1) return 'there is more than one Transfer-Encoding header'
  if (encodings > 0 && httpVersion === '1.0') return 'Transfer-Encoding needs HTTP/1.1'
  if (hosts > 1) return 'there is more than one Host header'
  if (hosts === 0 && httpVersion === '1.1') return 'a Host header is required'
  return null
}

/** A name or an address (IPv6 in brackets), and an optional port: RFC 9110, 7.2. It may be empty. */
const hostForm = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~!$&'()*+,;=%-]*)(?::[0-9]{0,5})?$/

const close = { closes: true }

export const tooLarge: Problem = {
  code: 'INVALID_REQUEST',
  status: 413,
  detail: `the body exceeds ${limits.bodyBytesMax} bytes`,
  ...close,
}
