import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isRequestId } from '../rules/request-id.ts'
import { headerValues } from '../shortcuts/header-values.ts'

/** The caller's X-Request-Id if it is a single well-formed value; otherwise a new UUID. */
export function requestIdOf(request: IncomingMessage): string {
  const [id = '', ...more] = headerValues(request, 'x-request-id')
  return more.length === 0 && isRequestId(id) ? id : randomUUID()
}
