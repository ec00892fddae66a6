import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { headerValues } from '../shortcuts/header-values.ts'

/** The caller's X-Request-Id if it is a single well-formed value; otherwise a new UUID. */
export function requestIdOf(request: IncomingMessage): string {
  const [id = '', ...more] = headerValues(request, 'x-request-id')
  return more.length === 0 && wellFormed.test(id) ? id : randomUUID()
}

export const requestIdPattern = '^[A-Za-z0-9_.:-]{1,128}$'
const wellFormed = new RegExp(requestIdPattern)
