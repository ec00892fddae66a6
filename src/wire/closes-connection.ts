import type { IncomingMessage } from 'node:http'

/**
 * Node drops what was sent right behind a request that asks for an upgrade, and HTTP/1.0 cannot say where a message ends
 * if a proxy in between does not know keep-alive: both are the last on their connection.
 */
export function closesConnection({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.upgrade !== undefined || httpVersion !== '1.1'
}
