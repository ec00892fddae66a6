import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** The caller's X-Request-Id where it is one well-formed value, else one of ours. */
export function requestIdOf(request: IncomingMessage): string {
  const [id = '', ...more] = request.headersDistinct['x-request-id'] ?? []
  return more.length === 0 && /^[\w.:-]{1,128}$/.test(id) ? id : randomUUID()
}
